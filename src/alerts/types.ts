// The types of decoded alerts and incidents. Open sets of the specification (discriminators, enumerations) are plain text;
// unknown values are kept as they are. Sections are those of src/service/specification.md.

/** `SeverityLevel` of section 2.4, another text that the service sent, or undefined when it sent none. */
export type Severity = string | undefined;

/** Class of an actor (section 2.7, createdByType). Never an identity. */
export type ActorClass = 'User' | 'Application' | 'ManagedIdentity' | 'Key' | 'Unknown';

/** One incident (section 2.5), without its assignee. */
export interface Incident {
  /** Resource name of the incident. Empty when the service sent neither name nor id. */
  readonly id: string;
  /** `alertIncidentType` as sent, sanitized; `Unknown` when absent. */
  readonly type: string;
}

/** One alert (section 2.2) of a complete list. */
export interface Alert {
  /** Alert name as the service spells it. Comparisons ignore case. */
  readonly name: string;
  readonly isActive: boolean;
  /** The larger of `incidentCount` and the number of incidents sent. */
  readonly incidentCount: number;
  /** In the service's order. May be fewer than `incidentCount`. */
  readonly incidents: readonly Incident[];
  readonly severity: Severity;
  /** From `alertConfiguration.isEnabled`; undefined when not sent. */
  readonly isScanned: boolean | undefined;
  /** `systemData.lastModifiedByType` as a class. */
  readonly lastActor: ActorClass;
  /** Milliseconds since 1970. Undefined when absent, invalid, or in the years 0 and 1 ("never"). */
  readonly modifiedAtMs: number | undefined;
  readonly scannedAtMs: number | undefined;
  readonly systemModifiedAtMs: number | undefined;
}

/** All pages of one scope. Always complete: a partial list is an error, never a value. */
export interface AlertList {
  readonly alerts: readonly Alert[];
  /** The number of requests that the list took. */
  readonly pages: number;
}
