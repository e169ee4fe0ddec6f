// Applies a scan to one alert: its incidents, configuration, times and flag. Pure.
// The flag changes only with the incidents: a new incident activates the alert, and the end of the last one deactivates it. Known
// incidents leave the flag as it is.
import { hash } from 'node:crypto';

import { canonicalName } from '../../alerts/resource-id.ts';
import { arrayOf, isObject, isSameJson, type JsonObject, numberOf, objectOf, stringOf } from '../../lib/json-shape.ts';
import { identity, modification } from '../alerts/alert-document.ts';
import { scannerName } from '../scanner.ts';
import type { RoleFinding } from './evaluate.ts';
import { definitionOfKind, thresholdsOfKind, type AlertKind, type Thresholds } from './kinds.ts';

export interface ScanPlace {
  readonly scope: string;
  readonly kind: AlertKind;
  readonly providerNamespace: string;
  readonly nowMs: number;
  readonly defaults: Thresholds;
}

export interface ScannedAlert {
  /** In the form that `storeAlert` accepts. */
  readonly alert: JsonObject;
  readonly isRaised: boolean;
  readonly isCleared: boolean;
}

/** Section 2.3: `isEnabled: false` disables scanning for this alert. */
export function isScanned(alert: JsonObject | undefined): boolean {
  return configurationOf(alert)['isEnabled'] !== false;
}

/** The thresholds of the alert's configuration, with the scanner's defaults for missing ones. */
export function thresholdsOf(
  alert: JsonObject | undefined,
  kind: AlertKind,
  defaults: Thresholds,
): Partial<Thresholds> {
  const stored = isScannersOwn(alert) ? {} : configurationOf(alert);
  return Object.fromEntries(thresholdsOfKind[kind].map((name) => [name, numberOf(stored[name]) ?? defaults[name]]));
}

/** `before` is the alert as listed; undefined when the scope has no alert of the kind, which is then created. */
export function scanAlert(
  before: JsonObject | undefined,
  findings: readonly RoleFinding[],
  place: ScanPlace,
): ScannedAlert {
  const properties = before ? propertiesIn(before) : { alertDefinition: definitionAt(place) };
  const alertID = stringOf(before?.['id']) ?? identity('roleManagementAlerts', place.kind, place).id;
  const incidents = findings.map((finding) => incidentOf(finding, place, alertID));
  const alertConfiguration = configure(before, place);
  const wasActive = properties['isActive'] === true;
  const isActive = flagAfter(wasActive, incidentsOf(before), incidents);
  const hasNews = !isSameJson([incidentsOf(before), properties['alertConfiguration']], [incidents, alertConfiguration]);
  const at = new Date(place.nowMs).toISOString();
  const alert = {
    ...(before ?? { name: place.kind }),
    ...((hasNews || isActive !== wasActive) && { systemData: systemDataAfter(before, place.nowMs) }),
    properties: {
      ...properties,
      isActive,
      alertConfiguration,
      alertIncidents: incidents,
      incidentCount: incidents.length,
      lastScannedDateTime: at,
      ...(hasNews && { lastModifiedDateTime: at }),
    },
  };
  return { alert, isRaised: isActive && !wasActive, isCleared: wasActive && !isActive };
}

function flagAfter(isActive: boolean, known: readonly unknown[], incidents: readonly JsonObject[]): boolean {
  const knownIds = new Set(known.map((incident) => objectOf(incident)['name']));
  if (incidents.some(({ name }) => !knownIds.has(name))) return true;
  return known.length > 0 && incidents.length === 0 ? false : isActive;
}

/** The id is a hash that reveals no identity, because ids appear in logs and policies. */
function incidentOf(
  { about, properties }: RoleFinding,
  { scope, kind, providerNamespace }: ScanPlace,
  alertID: string,
): JsonObject {
  const name = hash('sha256', JSON.stringify([canonicalName(scope), kind, about])).slice(0, 32);
  return {
    id: `${alertID}/alertIncidents/${name}`,
    name,
    type: `${providerNamespace}/roleManagementAlerts/alertIncidents`,
    properties: { alertIncidentType: `${kind}AlertIncident`, ...properties },
  };
}

/** Updates the thresholds of a configuration that the scanner modified last; leaves any other unchanged. */
function configure(before: JsonObject | undefined, place: ScanPlace): unknown {
  if (before === undefined) return createConfiguration(place);
  const known = propertiesIn(before)['alertConfiguration'];
  if (!isObject(known) || !isScannersOwn(before)) return known;
  const properties = { ...propertiesIn(known), ...ownThresholds(place) };
  if (isSameJson(properties, propertiesIn(known))) return known;
  return { ...known, systemData: systemDataAfter(known, place.nowMs), properties };
}

function createConfiguration(place: ScanPlace): JsonObject {
  const { scope, kind, nowMs } = place;
  return {
    ...identity('roleManagementAlertConfigurations', kind, place),
    systemData: systemDataAfter(undefined, nowMs),
    properties: {
      alertConfigurationType: `${kind}AlertConfiguration`,
      alertDefinition: definitionAt(place),
      alertDefinitionId: kind,
      isEnabled: true,
      scope,
      ...ownThresholds(place),
    },
  };
}

function ownThresholds({ kind, defaults }: ScanPlace): Partial<Thresholds> {
  return Object.fromEntries(thresholdsOfKind[kind].map((name) => [name, defaults[name]]));
}

function definitionAt(place: ScanPlace): JsonObject {
  const properties = { ...definitionOfKind[place.kind], scope: place.scope };
  return { ...identity('roleManagementAlertDefinitions', place.kind, place), properties };
}

/** Section 2.7. `before` is undefined for a new resource; only then the scanner is its creator. */
function systemDataAfter(before: JsonObject | undefined, nowMs: number): JsonObject {
  const at = new Date(nowMs).toISOString();
  const known = before?.['systemData'];
  return {
    ...(before === undefined && { createdAt: at, createdBy: scannerName, createdByType: 'Application' }),
    ...objectOf(known),
    ...modification({ by: scannerName, byType: 'Application', atMs: nowMs }),
  };
}

function isScannersOwn(alert: JsonObject | undefined): boolean {
  const configuration = propertiesIn(alert)['alertConfiguration'];
  return objectOf(objectOf(configuration)['systemData'])['lastModifiedBy'] === scannerName;
}

function configurationOf(alert: JsonObject | undefined): JsonObject {
  return propertiesIn(propertiesIn(alert)['alertConfiguration']);
}

function propertiesIn(resource: unknown): JsonObject {
  return objectOf(objectOf(resource)['properties']);
}

function incidentsOf(alert: JsonObject | undefined): readonly unknown[] {
  return arrayOf(propertiesIn(alert)['alertIncidents']);
}
