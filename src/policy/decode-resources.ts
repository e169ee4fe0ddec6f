// Validates policies and connections from the API server before any other code uses them. A modified CRD, or a stored object
// that is older than the schema, must not violate the types in the pure folders. An object with an invalid spec is rejected;
// an invalid status is dropped, except for the ledger.
import {
  arrayOf,
  isNoDeeperThan,
  isObject,
  isString,
  nonEmptyStringOf,
  objectOf,
  stringOf,
} from '../lib/json-shape.ts';
import type { DismissalRecord } from './generated/role-alert-connection.ts';
import {
  connectionKind,
  groupVersion,
  policyKind,
  type RoleAlertConnection,
  type RoleAlertPolicy,
} from './resources.ts';
import { anyText, flag, listOf, members, oneOf, type Shape, text, texts, wholeFrom } from './shape.ts';

export interface DecodedResource<T> {
  /** Absent exactly when there are problems. */
  readonly value?: T;
  /** The path of the first invalid member. Contains member names and indexes only. */
  readonly problems: readonly string[];
}

/** More than any of our objects needs. Comparing and writing recurse as deeply as the object is nested. */
const deepest = 16;

const metadata = members(
  {
    name: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    generation: wholeFrom(0),
    creationTimestamp: text,
  },
  { deletionTimestamp: text, labels: texts, annotations: texts },
);

const dismissal = members({ reason: text }, { incidents: listOf(text), maxIncidents: wholeFrom(0), until: text });

const policySpec = members(
  {
    connectionRef: members({ kind: oneOf(connectionKind), name: text }),
    scope: text,
    mode: oneOf('Enforce', 'Observe'),
    suspend: flag,
    unlisted: members({ state: oneOf('Ignore', 'Active'), minSeverity: oneOf('Low', 'Medium', 'High') }),
    damping: members({ maxDeactivations: wholeFrom(1), window: text }),
    incidents: members({ detail: oneOf('Summary'), limit: wholeFrom(0) }),
  },
  {
    interval: text,
    alerts: listOf(members({ name: text, state: oneOf('Active', 'Inactive') }, { dismissal })),
  },
);

const valueOf = members({ name: text, key: text });

const connectionSpec = members({
  endpoint: members(
    { baseURL: text, providerNamespace: text, apiVersion: text },
    { caBundleRef: members({ kind: oneOf('ConfigMap'), name: text, key: text }) },
  ),
  auth: members(
    {},
    {
      clientCredentials: members(
        { tokenURL: text, clientID: text, clientSecretRef: valueOf },
        { scopes: listOf(text) },
      ),
      tokenSecretRef: valueOf,
    },
  ),
  deactivation: oneOf('Deny', 'Allow'),
  limits: members({
    requestsPerHour: wholeFrom(1),
    burst: wholeFrom(1),
    maxConcurrent: wholeFrom(1),
    requestTimeout: text,
    minInterval: text,
    maxPages: wholeFrom(1),
    maxPageBytes: wholeFrom(1),
    deactivationsPerHour: wholeFrom(0),
    maxDismissal: text,
  }),
});

const conditions = listOf(
  members(
    { type: text, status: oneOf('True', 'False', 'Unknown'), lastTransitionTime: text, reason: text, message: anyText },
    { observedGeneration: wholeFrom(0) },
  ),
);

const policyStatus = members(
  { observedGeneration: wholeFrom(-1) },
  {
    lastHandledReconcileAt: anyText,
    conditions,
    effective: members({ mode: text, interval: text, scope: text }),
    summary: members({ declared: wholeFrom(0), inSync: wholeFrom(0), incidents: wholeFrom(0) }),
    alerts: listOf(
      members(
        { name: text, result: text, incidents: members({ total: wholeFrom(0) }) },
        {
          verifiedAt: text,
          lastDrift: members({ at: text, actorClass: text, direction: text }),
          deactivations: members({ windowStart: text, count: wholeFrom(0) }),
        },
      ),
    ),
    history: listOf(members({ at: text, alert: text, direction: text, reason: text, count: wholeFrom(0) })),
  },
);

const connectionStatus = members(
  { observedGeneration: wholeFrom(-1) },
  {
    conditions,
    policies: wholeFrom(0),
    scopes: wholeFrom(0),
    predictedRequestsPerHour: wholeFrom(0),
    recentDeactivations: listOf(text),
    dismissals: listOf(members({ scope: text, alert: text, policy: anyText, since: text })),
  },
);

const policyShape = members({ apiVersion: oneOf(groupVersion), kind: oneOf(policyKind), metadata, spec: policySpec });
const connectionShape = members({
  apiVersion: oneOf(groupVersion),
  kind: oneOf(connectionKind),
  metadata,
  spec: connectionSpec,
});

/** Returns the object itself when it is valid, or a copy with an empty status when only its status is invalid. Never throws. */
export function decodePolicy(json: unknown): DecodedResource<RoleAlertPolicy> {
  const problems = problemsOf(policyShape, json);
  if (problems.length > 0 || !isObject(json)) return { problems };
  const value = isReadable(policyStatus, json['status']) ? json : { ...json, status: unseen };
  return { value: value as unknown as RoleAlertPolicy, problems };
}

/** As `decodePolicy`, but keeps the valid records of the ledger: an alert without its record would stay inactive. */
export function decodeConnection(json: unknown): DecodedResource<RoleAlertConnection> {
  const problems = problemsOf(connectionShape, json);
  if (problems.length > 0 || !isObject(json)) return { problems };
  const { status } = json;
  const value = isReadable(connectionStatus, status)
    ? json
    : { ...json, status: { ...unseen, dismissals: readableDismissals(status) } };
  return { value: value as unknown as RoleAlertConnection, problems };
}

/** The schema's default. */
const unseen = { observedGeneration: -1 };

function problemsOf(shape: Shape, json: unknown): string[] {
  const wrong = isObject(json) && isNoDeeperThan(deepest, json['spec']) ? shape(json, '') : 'spec';
  return wrong === undefined ? [] : [wrong];
}

function isReadable(shape: Shape, status: unknown): boolean {
  return status === undefined || (isNoDeeperThan(deepest, status) && shape(status, '') === undefined);
}

const dismissalRecord = members({ scope: text, alert: text });

/** A record without a time counts as old, and one without a policy belongs to none: then only the live alert decides. */
function readableDismissals(status: unknown): DismissalRecord[] {
  return arrayOf(objectOf(status)['dismissals']).filter(isRecord).map(readableDismissal);
}

function readableDismissal({ scope, alert, policy, since, missingSince }: StoredRecord): DismissalRecord {
  const record = {
    scope,
    alert,
    policy: stringOf(policy) ?? '',
    since: nonEmptyStringOf(since) ?? '1970-01-01T00:00:00Z',
  };
  return isString(missingSince) ? { ...record, missingSince } : record;
}

type StoredRecord = { scope: string; alert: string } & Record<'policy' | 'since' | 'missingSince', unknown>;

function isRecord(entry: unknown): entry is StoredRecord {
  return dismissalRecord(entry, '') === undefined;
}
