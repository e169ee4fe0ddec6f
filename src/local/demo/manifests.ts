// Converts the samples to a seed for the alerts service and to manifests. samples.ts defines their content.
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { PolicyAlert } from '../../policy/generated/role-alert-policy.ts';
import { credentialLabel, credentialLabelValue, groupVersion } from '../../policy/resources.ts';
import { type FoundAlert, type Sample, samples } from './samples.ts';

/** An object to apply. Without a namespace it is cluster-scoped. */
export interface DemoObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  /** `spec`, `roleRef` and the like. */
  readonly [member: string]: unknown;
}

export const demoNamespace = 'demo';
/** The operator's OAuth client. */
export const demoClientID = 'rolealerts-demo';

/** The shortest interval that the schema accepts, so that the scenario is short. */
const interval = '5s';
/** No dismissal ends while the demo runs. */
const defaultEndsInDays = 14;
const dayMs = 24 * 3_600_000;
const secretName = 'alerts-client';
const secretKey = 'client-secret';

export interface DemoServiceAddress {
  readonly url: string;
  readonly tokenURL: string;
  readonly clientSecret: string;
}

/** A user changed the seeded alerts long before their last scan. Without these times the service would seem to have scanned them just now. */
const changedByUser = { lastModifiedAt: '2026-01-15T10:00:00Z', lastModifiedByType: 'User' };
const times = { lastModifiedDateTime: changedByUser.lastModifiedAt, lastScannedDateTime: '2026-01-16T10:00:00Z' };

/** The seed of the alerts service: one scope for each sample. */
export function demoSeed(): object {
  return { scopes: Object.fromEntries(samples.map(({ scope, found }) => [scope, { value: found.map(demoAlert) }])) };
}

function demoAlert({ name, isActive, incidents }: FoundAlert): object {
  const type = `${name}AlertConfiguration`;
  return {
    name,
    systemData: changedByUser,
    properties: {
      isActive,
      ...times,
      alertConfiguration: { properties: { alertConfigurationType: type, isEnabled: true } },
      alertDefinition: { properties: { displayName: name, severityLevel: 'High' } },
      alertIncidents: demoIncidents(name, incidents),
    },
  };
}

/** Incidents as in section 2.5. They contain names, so that a viewer can check that no status does. */
export function demoIncidents(alert: string, ids: readonly string[]): readonly object[] {
  return ids.map((id) => ({
    name: id,
    properties: {
      alertIncidentType: `${alert}AlertIncident`,
      assigneeName: `Person behind ${id}`,
      assigneeType: 'User',
    },
  }));
}

/** Namespace, Secret, the two connections and the policies, in the order in which they are applied. */
export function demoManifests(service: DemoServiceAddress, nowMs: number): readonly DemoObject[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: demoNamespace } },
    demoSecret(service),
    demoConnection('allowing', 'Allow', service),
    demoConnection('denying', 'Deny', service),
    ...samples.map((sample) => demoPolicy(sample, nowMs)),
  ];
}

function demoSecret({ clientSecret }: DemoServiceAddress): DemoObject {
  const labels = { [credentialLabel]: credentialLabelValue };
  const stringData = { [secretKey]: clientSecret };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { ...inDemo(secretName), labels }, stringData };
}

const inDemo = (name: string) => ({ name, namespace: demoNamespace });

function demoConnection(name: string, deactivation: string, { url, tokenURL }: DemoServiceAddress): DemoObject {
  const clientSecretRef = { name: secretName, key: secretKey };
  return {
    apiVersion: groupVersion,
    kind: 'RoleAlertConnection',
    metadata: inDemo(name),
    spec: {
      endpoint: { baseURL: url },
      auth: { clientCredentials: { tokenURL, clientID: demoClientID, clientSecretRef } },
      deactivation,
      limits: { requestsPerHour: 36_000, burst: 100, minInterval: interval },
    },
  };
}

function demoPolicy(
  { name, scope, connection, spec, endsInDays = defaultEndsInDays }: Sample,
  nowMs: number,
): DemoObject {
  const until = formatTimestamp(nowMs + endsInDays * dayMs);
  const alerts = spec.alerts?.map((line) => withEnd(line, until));
  return {
    apiVersion: groupVersion,
    kind: 'RoleAlertPolicy',
    metadata: inDemo(name),
    spec: { connectionRef: { name: connection }, scope, interval, ...spec, ...(alerts && { alerts }) },
  };
}

/** Adds the end that a dismissal without `incidents` requires. */
function withEnd(line: PolicyAlert, until: string): PolicyAlert {
  const { dismissal } = line;
  return dismissal && !dismissal.incidents ? { ...line, dismissal: { ...dismissal, until } } : line;
}
