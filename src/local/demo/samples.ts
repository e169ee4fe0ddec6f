// The demo's world as data: what the alerts service holds at the start, which connections and policies are applied, and
// what each policy is expected to say before and after the story. Nothing is started here.
import type { RoleAlertPolicySpec } from '../../policy/generated/role-alert-policy.ts';
import { credentialLabel, groupVersion } from '../../policy/resources.ts';

export const demoNamespace = 'demo';
export const demoClientID = 'rolealerts-demo';

const owners = 'TooManyOwnersAssignedToResource';
const permanentOwners = 'TooManyPermanentOwnersAssignedToResource';

/** What one policy is to look like. */
export interface Expectation {
  /** Ready's status and reason: `True/Succeeded`. */
  readonly ready: string;
  /** The flag that the service itself shows for the sample's alert; undefined where it lists none. */
  readonly isActive: boolean | undefined;
  /** `status.history` says that this happened, and how often at least. */
  readonly history?: {
    readonly direction: 'Activated' | 'Deactivated';
    readonly reason: string;
    readonly count: number;
  };
}

export interface Sample {
  readonly name: string;
  /** For the table: what it is there to show. */
  readonly shows: string;
  readonly scope: string;
  readonly alert: string;
  readonly connection: 'allowing' | 'denying';
  readonly spec: Pick<RoleAlertPolicySpec, 'alerts'> & { readonly mode?: 'Observe' };
  /** How the alert is found: undefined where the scope does not list it. */
  readonly seed: { readonly isActive: boolean; readonly incidents: readonly string[] } | undefined;
  readonly before: Expectation;
  readonly after: Expectation;
}

const succeeded = (isActive: boolean): Expectation => ({ ready: 'True/Succeeded', isActive });
const dismissal = (bound: object) => ({ reason: 'accepted for this demo (DEMO-1)', ...bound });
const corrected = (count: number) =>
  ({ ...succeeded(true), history: { direction: 'Activated', reason: 'Drift', count } }) as const;

/** The sample whose alert the story turns off behind the operator's back, and the one that gets another incident. */
export const attacked = 'owners-corrected';
export const outgrown = 'bound-broken';
export const knownIncidents = ['6f1c2a04', '77aa19e3'] as const;
export const newIncident = '9d3e55b0';

export const samples: readonly Sample[] = [
  {
    name: attacked,
    shows: 'drift is corrected',
    scope: 'subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590',
    alert: owners,
    connection: 'allowing',
    spec: { alerts: [{ name: owners, state: 'Active' }] },
    seed: { isActive: false, incidents: ['c1a5e0f1'] },
    before: corrected(1),
    after: corrected(2),
  },
  {
    name: 'dismissed-within-bound',
    shows: 'off, at most three incidents',
    scope: 'subscriptions/3d9f2b7a-6c1e-4e8d-9b5a-0f4c7e2a1d83',
    alert: permanentOwners,
    connection: 'allowing',
    spec: { alerts: [{ name: permanentOwners, state: 'Inactive', dismissal: dismissal({ maxIncidents: 3 }) }] },
    seed: { isActive: true, incidents: ['1f00aa01', '1f00aa02'] },
    before: succeeded(false),
    after: succeeded(false),
  },
  {
    name: outgrown,
    shows: 'off, until a new incident',
    scope: 'subscriptions/7b4e0c1d-92a3-4f5b-8c6d-1e2f3a4b5c6d',
    alert: permanentOwners,
    connection: 'allowing',
    spec: {
      alerts: [{ name: permanentOwners, state: 'Inactive', dismissal: dismissal({ incidents: knownIncidents }) }],
    },
    seed: { isActive: true, incidents: knownIncidents },
    before: succeeded(false),
    after: { ...succeeded(true), history: { direction: 'Activated', reason: 'NewIncidents', count: 1 } },
  },
  {
    name: 'owners-observed',
    shows: 'drift is only reported',
    scope: 'subscriptions/2c7a1d0e-58f4-4b7e-8a0e-6d1f3b9c4e72',
    alert: owners,
    connection: 'allowing',
    spec: { mode: 'Observe', alerts: [{ name: owners, state: 'Active' }] },
    seed: { isActive: false, incidents: [] },
    before: { ready: 'True/Observed', isActive: false },
    after: { ready: 'True/Observed', isActive: false },
  },
  {
    name: 'dismissal-refused',
    shows: 'the connection denies it',
    scope: 'subscriptions/91e5b8c3-0f2d-4c6a-b7d4-3a8e5f1c2d60',
    alert: permanentOwners,
    connection: 'denying',
    spec: { alerts: [{ name: permanentOwners, state: 'Inactive', dismissal: dismissal({ maxIncidents: 9 }) }] },
    seed: { isActive: true, incidents: ['4e4e4e01'] },
    before: { ready: 'False/DeactivationDenied', isActive: true },
    after: { ready: 'False/DeactivationDenied', isActive: true },
  },
  {
    name: 'alert-missing',
    shows: 'declared, but not listed',
    scope: 'subscriptions/e8f1a2b3-c4d5-4e6f-8091-a2b3c4d5e6f7',
    alert: 'DuplicateRoleCreated',
    connection: 'allowing',
    spec: { alerts: [{ name: 'DuplicateRoleCreated', state: 'Active' }] },
    seed: undefined,
    before: { ready: 'False/AlertNotFound', isActive: undefined },
    after: { ready: 'False/AlertNotFound', isActive: undefined },
  },
];

/** Incidents as section 2.5 has them; the names are there to show that they never reach a status. */
export function demoIncidents(ids: readonly string[], alert: string): readonly object[] {
  return ids.map((id) => ({
    name: id,
    properties: {
      alertIncidentType: `${alert}AlertIncident`,
      assigneeName: `Person behind ${id}`,
      assigneeType: 'User',
    },
  }));
}

/** The seed of the alerts service: one scope for each sample. */
export function demoSeed(): object {
  const scopes = samples.map(({ scope, alert, seed }) => [scope, { value: seed ? [demoAlert(alert, seed)] : [] }]);
  return { scopes: Object.fromEntries(scopes) };
}

function demoAlert(name: string, seed: NonNullable<Sample['seed']>): object {
  return {
    name,
    properties: {
      isActive: seed.isActive,
      alertConfiguration: {
        properties: { alertConfigurationType: `${name}AlertConfiguration`, isEnabled: true },
      },
      alertDefinition: { properties: { displayName: name, severityLevel: 'High' } },
      alertIncidents: demoIncidents(seed.incidents, name),
    },
  };
}

/** Namespace, Secret, the two connections and the policies, as one list that kubectl applies. */
export function demoManifests(service: { url: string; tokenURL: string; clientSecret: string }): object {
  const items = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: demoNamespace } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...inDemo('alerts-client'), labels: { [credentialLabel]: 'true' } },
      stringData: { 'client-secret': service.clientSecret },
    },
    demoConnection('allowing', 'Allow', service),
    demoConnection('denying', 'Deny', service),
    ...samples.map(demoPolicy),
  ];
  return { apiVersion: 'v1', kind: 'List', items };
}

const inDemo = (name: string) => ({ name, namespace: demoNamespace });

function demoConnection(name: string, deactivation: string, service: { url: string; tokenURL: string }): object {
  return {
    apiVersion: groupVersion,
    kind: 'RoleAlertConnection',
    metadata: inDemo(name),
    spec: {
      endpoint: { baseURL: service.url },
      auth: {
        clientCredentials: {
          tokenURL: service.tokenURL,
          clientID: demoClientID,
          clientSecretRef: { name: 'alerts-client', key: 'client-secret' },
        },
      },
      deactivation,
      limits: { requestsPerHour: 36_000, burst: 100, minInterval: '5s' },
    },
  };
}

function demoPolicy({ name, scope, connection, spec }: Sample): object {
  return {
    apiVersion: groupVersion,
    kind: 'RoleAlertPolicy',
    metadata: inDemo(name),
    spec: { connectionRef: { name: connection }, scope, interval: '5s', ...spec },
  };
}
