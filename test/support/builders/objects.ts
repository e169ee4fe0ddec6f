// Inputs of the pure folders with sensible defaults, so that a test shows only the relevant members.
import type { Alert } from '../../../src/alerts/types.ts';
import type { PlanInput, PolicyInput } from '../../../src/operator/decide/decisions.ts';
import type { PendingWrite } from '../../../src/operator/decide/writes.ts';
import { fullAccess } from '../../../src/policy/access.ts';
import { dismissalsFinalizer } from '../../../src/policy/deletion.ts';
import type { AccessEntry } from '../../../src/policy/generated/cluster-role-alert-connection.ts';
import type { ConnectionAuth } from '../../../src/policy/generated/role-alert-connection.ts';
import type { CorrectionWindow, Dismissal, PolicyAlert } from '../../../src/policy/generated/role-alert-policy.ts';
import type { Grant } from '../../../src/policy/grant.ts';
import {
  type ClusterRoleAlertConnection,
  type NamespaceMetadata,
  pendingConnectionStatus,
  pendingStatus,
  type RoleAlertConnection,
  type RoleAlertPolicy,
} from '../../../src/policy/resources.ts';
import { isSuspended } from '../../../src/policy/suspension.ts';

export const nowMs = Date.UTC(2026, 5, 1, 12);
export const alertName = 'TooManyOwnersAssignedToResource';
export const minuteMs = 60_000;
export const intervalMs = 15 * minuteMs;

export const allowed: Grant = { ...fullAccess, maxDismissalMs: 365 * 24 * 60 * minuteMs };
export const refused: Grant = { ...allowed, deactivation: 'Deny' };

export function alert(change: Partial<Alert> = {}): Alert {
  return {
    name: alertName,
    isActive: true,
    incidentCount: 0,
    incidents: [],
    severity: 'High',
    isScanned: true,
    lastActor: 'Unknown',
    modifiedAtMs: undefined,
    scannedAtMs: undefined,
    systemModifiedAtMs: undefined,
    ...change,
  };
}

/** An alert with incidents of these ids. */
export function firing(ids: readonly string[], change: Partial<Alert> = {}): Alert {
  const incidents = ids.map((id) => ({ id, type: 'TooManyOwners' }));
  return alert({ incidents, incidentCount: ids.length, ...change });
}

export const active: PolicyAlert = { name: alertName, state: 'Active' };

/** Ends after 20 days unless it names its incidents or says when. */
export function inactive(bound: Partial<Dismissal>): PolicyAlert {
  const end = bound.incidents ? {} : { until: at(20 * 24 * 60 * minuteMs) };
  return { name: alertName, state: 'Inactive', dismissal: { reason: 'tracked in SEC-1182', ...end, ...bound } };
}

export function at(offsetMs: number): string {
  return new Date(nowMs + offsetMs).toISOString();
}

/** From 08:00 to 18:00 on workdays, which `nowMs` is one of. */
export const workdays: CorrectionWindow = { kind: 'Deny', schedule: '0 8 * * 1-5', duration: '10h', timeZone: 'UTC' };

interface PolicyChange {
  readonly name?: string;
  readonly createdAt?: string;
  readonly spec?: Partial<RoleAlertPolicy['spec']>;
  readonly metadata?: Partial<RoleAlertPolicy['metadata']>;
  readonly status?: RoleAlertPolicy['status'];
}

export function policy({ name = 'owners', createdAt, spec, metadata, status }: PolicyChange = {}): RoleAlertPolicy {
  return {
    apiVersion: 'rolealerts.dev/v1alpha1',
    kind: 'RoleAlertPolicy',
    metadata: {
      name,
      namespace: 'team',
      uid: `uid-${name}`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: createdAt ?? '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: {
      connectionRef: { kind: 'RoleAlertConnection', name: 'prod' },
      scope: 'subscriptions/a',
      mode: 'Enforce',
      suspend: false,
      alerts: [active],
      unlisted: { state: 'Ignore', minSeverity: 'Low' },
      damping: { maxDeactivations: 3, window: '6h' },
      incidents: { limit: 5 },
      ...spec,
    },
    status: status ?? pendingStatus,
  };
}

/** The fields that name `connection()` in a log line. */
export const prodFields = { kind: 'RoleAlertConnection', namespace: 'team', name: 'prod' } as const;

/** A connection that acts as the ServiceAccount `team/alerts`. */
export const federatedAuth: ConnectionAuth = {
  federated: {
    tokenURL: 'https://login.example/token',
    clientID: 'operator',
    serviceAccountName: 'alerts',
    audience: 'api://alerts',
  },
};

export function connection(spec: Partial<RoleAlertConnection['spec']> = {}): RoleAlertConnection {
  return {
    apiVersion: 'rolealerts.dev/v1alpha1',
    kind: 'RoleAlertConnection',
    metadata: {
      name: 'prod',
      namespace: 'team',
      uid: 'uid-prod',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {
      endpoint: {
        baseURL: 'https://service.example',
        providerNamespace: 'Vendor.Authorization',
        apiVersion: '2022-08-01-preview',
      },
      auth: { tokenSecretRef: { name: 'credentials', key: 'token' } },
      deactivation: 'Allow',
      limits: {
        requestsPerHour: 3600,
        burst: 20,
        maxConcurrent: 4,
        requestTimeout: '30s',
        minInterval: '1m',
        maxPages: 100,
        maxPageBytes: 33_554_432,
        deactivationsPerHour: 10,
        maxDismissal: '8760h',
      },
      ...spec,
    },
    status: pendingConnectionStatus,
  };
}

/** The namespace of the Secrets of a ClusterRoleAlertConnection. */
export const clusterNamespace = 'rolealerts-system';

/** `/prod`; it grants everything to the namespace `team` unless the spec has other entries. */
export function clusterConnection(spec: Partial<ClusterRoleAlertConnection['spec']> = {}): ClusterRoleAlertConnection {
  const { metadata, ...namespaced } = connection();
  const { namespace: _, ...identity } = metadata;
  return {
    ...namespaced,
    kind: 'ClusterRoleAlertConnection',
    metadata: { ...identity, uid: 'uid-cluster-prod' },
    spec: { ...namespaced.spec, access: [accessEntry()], ...spec },
  };
}

/** Everything, for the namespaces with the label `team: a`. */
export function accessEntry(change: Partial<AccessEntry> = {}): AccessEntry {
  return {
    namespaceSelector: { matchLabels: { team: 'a' } },
    scopes: ['subscriptions'],
    maxMode: 'Enforce',
    deactivation: 'Allow',
    unlisted: 'Allow',
    ...change,
  };
}

/** A reference to `clusterConnection()`. */
export const throughCluster = { kind: 'ClusterRoleAlertConnection', name: 'prod' } as const;

export function namespace(
  labels: Readonly<Record<string, string>> = { team: 'a' },
  change: Partial<NamespaceMetadata['metadata']> = {},
): NamespaceMetadata {
  return { metadata: { name: 'team', uid: 'uid-team', resourceVersion: '1', labels, ...change } };
}

interface InputChange extends PolicyChange {
  readonly grant?: Grant;
}

export function input(change: InputChange = {}): PolicyInput {
  const object = policy(change);
  return {
    policy: object,
    isSuspended: isSuspended(object.spec, nowMs),
    key: `${object.metadata.namespace}/${object.metadata.name}`,
    grant: change.grant ?? allowed,
  };
}

export function planInput(change: Partial<PlanInput> = {}): PlanInput {
  return {
    nowMs,
    isReadOnly: false,
    intervalMs,
    policies: [input()],
    alerts: [alert()],
    ledger: [],
    unproven: new Set(),
    deactivated: new Set(),
    ledgerRoom: 500,
    deactivationsLeft: 10,
    nextDeactivationMs: undefined,
    sent: new Map(),
    activationBackoffs: new Map(),
    recentDeactivations: new Map(),
    deactivationsByNamespace: undefined,
    ...change,
  };
}

/** The alert was deactivated three, two and one hours ago, as often as damping allows by default. */
export const damped: Pick<PlanInput, 'recentDeactivations'> = {
  recentDeactivations: new Map([[alertName.toLowerCase(), [3, 2, 1].map((hours) => nowMs - hours * 60 * minuteMs)]]),
};

export function pendingWrite(change: Partial<PendingWrite> = {}): PendingWrite {
  const made = { cause: 'Declared', policyKey: 'team/owners', actor: 'Unknown', tries: 1 } as const;
  return { isActive: true, sentAtMs: nowMs - 1000, ...made, ...change };
}

export function ledgerEntry(change: { alert?: string; sinceMs?: number } = {}) {
  return {
    scope: 'subscriptions/a',
    alert: change.alert ?? alertName,
    policy: 'team/owners',
    since: new Date(change.sinceMs ?? nowMs - 60 * minuteMs).toISOString(),
  };
}

/** The row of an active alert without incidents, as the operator writes it. */
export const inSyncRow = (name: string) =>
  ({
    name,
    want: 'Active',
    live: 'Active',
    state: 'Armed',
    result: 'InSync',
    scanning: 'Enabled',
    incidents: { total: 0 },
  }) as const;

/** The connection with this dismissal in its ledger, and the finalizer, as the operator writes them before the PATCH. */
export function recorded(object: RoleAlertConnection, entry = ledgerEntry()): RoleAlertConnection {
  const status = { ...(object.status ?? pendingConnectionStatus), dismissals: [entry], dismissalCount: 1 };
  return { ...object, metadata: { ...object.metadata, finalizers: [dismissalsFinalizer] }, status };
}
