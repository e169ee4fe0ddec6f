// What a scan makes of one alert: its incidents, its configuration, its times, and whether it fires. Pure.
// The flag moves only when the incidents do: a new one raises the alert, the end of the last one clears it, and incidents
// that are merely still there leave it as somebody put it.
import { hash } from 'node:crypto';

import { canonicalName } from '../../alerts/resource-id.ts';
import { isSameJson } from '../../lib/same-json.ts';
import { identity, modification, type JsonObject } from '../alerts/alert-document.ts';
import { isObject } from '../alerts/alert-shape.ts';
import type { Finding } from './evaluate.ts';
import { definitionOfKind, thresholdsOfKind, type AlertKind, type Thresholds } from './kinds.ts';

/** `lastModifiedBy` of whatever the scanner changes. */
export const scannerName = 'scanner';

export interface ScanPlace {
  readonly scope: string;
  readonly kind: AlertKind;
  readonly providerNamespace: string;
  readonly nowMs: number;
  readonly defaults: Thresholds;
}

export interface ScannedAlert {
  /** As `storeAlert` takes it. */
  readonly alert: JsonObject;
  readonly isRaised: boolean;
  readonly isCleared: boolean;
}

/** Section 2.3: `isEnabled: false` disables scanning for this alert. */
export function isScanned(alert: JsonObject | undefined): boolean {
  return configurationOf(alert)['isEnabled'] !== false;
}

/** What the alert's own configuration says, and the scanner's defaults for the rest. */
export function thresholdsOf(
  alert: JsonObject | undefined,
  kind: AlertKind,
  defaults: Thresholds,
): Partial<Thresholds> {
  const stored = isScannersOwn(alert) ? {} : configurationOf(alert);
  return Object.fromEntries(
    thresholdsOfKind[kind].map((name) => [name, typeof stored[name] === 'number' ? stored[name] : defaults[name]]),
  );
}

/** `before` is the alert as it is listed; undefined when the scope has none of the kind, then it is created. */
export function scanAlert(
  before: JsonObject | undefined,
  findings: readonly Finding[],
  place: ScanPlace,
): ScannedAlert {
  const properties = before ? propertiesIn(before) : { alertDefinition: definitionAt(place) };
  const alertID =
    typeof before?.['id'] === 'string' ? before['id'] : identity('roleManagementAlerts', place.kind, place).id;
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
  const knownIds = new Set(known.map((incident) => (isObject(incident) ? incident['name'] : undefined)));
  if (incidents.some(({ name }) => !knownIds.has(name))) return true;
  return known.length > 0 && incidents.length === 0 ? false : isActive;
}

/** The id tells nothing of who is meant, because ids end up in logs and in policies. */
function incidentOf(
  { about, properties }: Finding,
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

/** A configuration that the scanner wrote last follows its thresholds; any other one is not touched. */
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

/** Section 2.7. `before` is undefined for what is new; only that was created by the scanner. */
function systemDataAfter(before: JsonObject | undefined, nowMs: number): JsonObject {
  const at = new Date(nowMs).toISOString();
  const known = before?.['systemData'];
  return {
    ...(before === undefined && { createdAt: at, createdBy: scannerName, createdByType: 'Application' }),
    ...(isObject(known) ? known : {}),
    ...modification({ by: scannerName, byType: 'Application', atMs: nowMs }),
  };
}

function isScannersOwn(alert: JsonObject | undefined): boolean {
  const configuration = propertiesIn(alert)['alertConfiguration'];
  const systemData = isObject(configuration) ? configuration['systemData'] : undefined;
  return isObject(systemData) && systemData['lastModifiedBy'] === scannerName;
}

function configurationOf(alert: JsonObject | undefined): JsonObject {
  return propertiesIn(propertiesIn(alert)['alertConfiguration']);
}

function propertiesIn(resource: unknown): JsonObject {
  const properties = isObject(resource) ? resource['properties'] : undefined;
  return isObject(properties) ? properties : {};
}

function incidentsOf(alert: JsonObject | undefined): readonly unknown[] {
  const incidents = propertiesIn(alert)['alertIncidents'];
  return Array.isArray(incidents) ? incidents : [];
}
