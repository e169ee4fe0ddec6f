// The service's vocabulary as the operator uses it: what is left of an answer once it has been decoded.
// Open sets of the specification (discriminators, enumerations) stay text here; unknown values are carried, not guessed.

/** `SeverityLevel` of section 2.4, or another text that the service sent, or undefined when it sent none. */
export type Severity = string | undefined;

/** Class of an actor (section 2.7, createdByType). Never an identity. */
export type ActorClass = 'User' | 'Application' | 'ManagedIdentity' | 'Key' | 'Unknown';

/** One incident (section 2.5), without the names of people. */
export interface Incident {
  /** Resource name of the incident. Empty when the service sent neither name nor id. */
  readonly id: string;
  /** `alertIncidentType` as sent, cleaned; `Unknown` when absent. */
  readonly type: string;
  /** `assigneeType` as sent, cleaned; absent for the variants without one. */
  readonly assigneeType?: string;
}

/** One alert (section 2.2) of a whole list. */
export interface Alert {
  /** Alert name as the service spells it. Compared without regard to case. */
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
  /** Milliseconds since 1970. Undefined when absent, unreadable or the year 1 ("never"). */
  readonly modifiedAtMs: number | undefined;
  readonly scannedAtMs: number | undefined;
  readonly systemModifiedAtMs: number | undefined;
}

/** All pages of one scope, complete by construction: a partial list is an error, never a value. */
export interface AlertList {
  readonly alerts: readonly Alert[];
  /** How many requests it took. */
  readonly pages: number;
}
