// A fleet of policies for tests of scale: how many there are, their manifests, and the alerts that the service holds for
// them. Alerts are as large as real ones (section 2), so that bytes count as they do outside.
import { Semaphore } from '../../../src/lib/semaphore.ts';
import type { KubeRequests } from '../rigs/kube-requests.ts';

export interface FleetShape {
  /** Each has one policy. */
  readonly scopes: number;
  /** Every policy declares alerts of its own; all of them active. */
  readonly alertsPerPolicy: number;
  /** How many of those the service has inactive at first. */
  readonly driftedPerPolicy: number;
  readonly incidentsPerAlert: number;
}

interface FleetPolicy {
  readonly name: string;
  readonly scope: string;
  readonly alerts: readonly string[];
}

export const fleetConnection = 'fleet';
const credential = 'fleet-credential';
const groupVersion = 'rolealerts.dev/v1alpha1';

/** Limits that never hold a fleet up. The number of requests in progress is the default. */
const limits = { requestsPerHour: 1_000_000, burst: 10_000, minInterval: '5s' };

export function fleetPolicies(shape: FleetShape): FleetPolicy[] {
  return range(shape.scopes).map((scope) => ({
    name: `policy-${scope}`,
    scope: `subscriptions/0b1f6471-1bf0-4dda-aec3-${String(scope).padStart(12, '0')}`,
    alerts: range(shape.alertsPerPolicy).map(alertName),
  }));
}

/** A seed of the alerts service. */
export function fleetSeed(shape: FleetShape): { scopes: Record<string, { value: object[] }> } {
  const value = range(shape.alertsPerPolicy).map((alert) =>
    alertDocument(alertName(alert), alert >= shape.driftedPerPolicy, shape.incidentsPerAlert),
  );
  const scopes = fleetPolicies(shape).map(({ scope }) => [scope, { value }] as const);
  return { scopes: Object.fromEntries(scopes) };
}

/** Puts the Secret, the connection and then every policy into a namespace. */
export async function createFleet(
  requests: KubeRequests,
  place: { readonly namespace: string; readonly serviceURL: string; readonly token: string },
  shape: FleetShape,
): Promise<void> {
  const create = async (path: string, body: object) => {
    const answer = await requests.send('POST', path, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.body?.message}`);
  };
  const resources = `/apis/${groupVersion}/namespaces`;
  const { namespace } = place;
  await create(`/api/v1/namespaces/${namespace}/secrets`, {
    metadata: { name: credential, labels: { 'rolealerts.dev/credential': 'true' } },
    stringData: { token: place.token },
  });
  await create(`${resources}/${namespace}/rolealertconnections`, connectionManifest(place.serviceURL));
  const path = `${resources}/${namespace}/rolealertpolicies`;
  const atOnce = new Semaphore(8);
  await Promise.all(fleetPolicies(shape).map((each) => atOnce.run(() => create(path, policyManifest(each)))));
}

function connectionManifest(baseURL: string) {
  return {
    apiVersion: groupVersion,
    kind: 'RoleAlertConnection',
    metadata: { name: fleetConnection },
    spec: { endpoint: { baseURL }, auth: { tokenSecretRef: { name: credential, key: 'token' } }, limits },
  };
}

function policyManifest({ name, scope, alerts }: FleetPolicy): object {
  return {
    apiVersion: groupVersion,
    kind: 'RoleAlertPolicy',
    metadata: { name },
    spec: {
      connectionRef: { name: fleetConnection },
      scope,
      alerts: alerts.map((alert) => ({ name: alert, state: 'Active' })),
    },
  };
}

/** As large in a list as a real one; the service adds the members that are missing. */
function alertDocument(name: string, isActive: boolean, incidents: number): object {
  const description = 'Too many owners have a permanent assignment. '.repeat(28);
  const alertDefinition = { name, properties: { displayName: name, description, severityLevel: 'Medium' } };
  const alertConfiguration = { name, properties: { alertDefinition, alertDefinitionId: name, isEnabled: true } };
  const alertIncidents = range(incidents).map((index) => ({
    name: `6f1c0000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    properties: { alertIncidentType: `${name}AlertIncident`, assigneeName: 'Ada Example', assigneeType: 'User' },
  }));
  return { name, properties: { alertConfiguration, alertDefinition, alertIncidents, isActive } };
}

function alertName(alert: number): string {
  return `TooManyPermanentOwnersAssignedToResource-${alert}`;
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** One policy a scope, half of whose alerts drifted. */
export function fleetOf(scopes: number): FleetShape {
  return { scopes, alertsPerPolicy: 4, driftedPerPolicy: 2, incidentsPerAlert: 3 };
}

/** The alerts that the operator has to activate. */
export function correctionsOf({ scopes, driftedPerPolicy }: FleetShape): number {
  return scopes * driftedPerPolicy;
}

/** `1,000 policies`. */
export function describeFleet({ scopes }: FleetShape): string {
  return `${new Intl.NumberFormat('en').format(scopes)} policies`;
}
