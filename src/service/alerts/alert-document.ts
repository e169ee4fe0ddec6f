// The stored form of an alert: columns for the members that an update changes, and JSON text for the rest, which responses copy
// without parsing. Responses return the members of a document unchanged; this file adds the missing members of section 2.2.
import { lastSegment } from '../../alerts/resource-id.ts';
import { arrayOf, isString, type JsonObject } from '../../lib/json-shape.ts';

export interface StoredAlert {
  readonly name: string;
  readonly isActive: boolean;
  /** JSON text of `systemData`; null when the alert has none. */
  readonly systemData: string | null;
  /** JSON text of all other members except `properties`, without the braces. Never empty. */
  readonly members: string;
  /** JSON text of the members of `properties` except `isActive`, without the braces. Never empty. */
  readonly properties: string;
}

/** The place of a document, for the ids and types that it lacks. */
export interface DocumentPlace {
  readonly scope: string;
  readonly providerNamespace: string;
  readonly nowMs: number;
}

/** The kinds whose alertConfigurationType section 2.3 defines; others have one only if the document names it. */
const kindsWithKnownTypes: ReadonlySet<string> = new Set([
  'TooManyPermanentOwnersAssignedToResource',
  'TooManyOwnersAssignedToResource',
]);

/** The alert's name, from `name` or the end of `id`; undefined when it has neither. */
export function nameOf(alert: JsonObject): string | undefined {
  const { name, id } = alert;
  if (isString(name)) return name;
  return isString(id) ? lastSegment(id) : undefined;
}

/** Splits an alert of a checked shape into its stored form. */
export function storeAlert(alert: JsonObject, name: string, place: DocumentPlace): StoredAlert {
  const { properties: given, systemData, ...members } = alert;
  const { isActive, ...properties } = (given ?? {}) as JsonObject;
  return {
    name,
    isActive: isActive === true,
    systemData: systemData === undefined ? null : JSON.stringify(systemData),
    members: inner({ ...identity('roleManagementAlerts', name, place), ...members }),
    properties: inner({ ...defaultProperties(name, properties, place), ...properties }),
  };
}

/** The JSON text of the whole alert. */
export function alertText(alert: Omit<StoredAlert, 'name'>): string {
  const systemData = alert.systemData === null ? '' : `,"systemData":${alert.systemData}`;
  return `{${alert.members}${systemData},"properties":{"isActive":${alert.isActive},${alert.properties}}}`;
}

/** `properties` text after a scan found `incidents`: their count, and the times of section 2.2. */
export function withIncidents(properties: string, incidents: readonly unknown[], nowMs: number): string {
  const before = JSON.parse(`{${properties}}`) as JsonObject;
  const at = new Date(nowMs).toISOString();
  const hasChanged = JSON.stringify(before['alertIncidents']) !== JSON.stringify(incidents);
  return inner({
    ...before,
    alertIncidents: incidents,
    incidentCount: incidents.length,
    lastScannedDateTime: at,
    ...(hasChanged ? { lastModifiedDateTime: at } : {}),
  });
}

/** The actor of a change, in the terms of section 2.7. */
export interface Modifier {
  readonly by: string;
  readonly byType: 'User' | 'Application' | 'ManagedIdentity' | 'Key';
  readonly atMs: number;
}

/** `systemData` text after a change; keeps the other members. */
export function withModifier(systemData: string | null, modifier: Modifier): string {
  return JSON.stringify({
    ...(JSON.parse(systemData ?? '{}') as JsonObject | null),
    ...modification(modifier),
  });
}

/** The members of `systemData` that describe a change. */
export function modification({ by, byType, atMs }: Modifier): JsonObject {
  return { lastModifiedAt: new Date(atMs).toISOString(), lastModifiedBy: by, lastModifiedByType: byType };
}

function defaultProperties(name: string, properties: JsonObject, place: DocumentPlace): JsonObject {
  const { alertIncidents } = properties;
  const at = new Date(place.nowMs).toISOString();
  return {
    alertConfiguration: defaultConfiguration(name, place),
    alertDefinition: defaultDefinition(name, place),
    alertIncidents: [],
    incidentCount: arrayOf(alertIncidents).length,
    lastModifiedDateTime: at,
    lastScannedDateTime: at,
    scope: place.scope,
  };
}

function defaultConfiguration(name: string, place: DocumentPlace): JsonObject {
  const type = kindsWithKnownTypes.has(name) ? { alertConfigurationType: `${name}AlertConfiguration` } : {};
  return {
    ...identity('roleManagementAlertConfigurations', name, place),
    properties: { ...type, alertDefinitionId: name, isEnabled: true, scope: place.scope },
  };
}

function defaultDefinition(name: string, place: DocumentPlace): JsonObject {
  return {
    ...identity('roleManagementAlertDefinitions', name, place),
    properties: { displayName: name, scope: place.scope },
  };
}

/** The common members of section 2.1. */
export function identity(
  type: string,
  name: string,
  { scope, providerNamespace }: Pick<DocumentPlace, 'scope' | 'providerNamespace'>,
): { readonly id: string; readonly name: string; readonly type: string } {
  return {
    id: `/${scope}/providers/${providerNamespace}/${type}/${name}`,
    name,
    type: `${providerNamespace}/${type}`,
  };
}

function inner(object: JsonObject): string {
  return JSON.stringify(object).slice(1, -1);
}
