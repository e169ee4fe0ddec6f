// Validates policies and connections from the API server before any other code uses them. A modified CRD, or a stored object
// that is older than the schema, must not violate the types in the pure folders. An object with an invalid spec is rejected;
// an invalid status is dropped, except for the ledger and the recent deactivations.
import {
  arrayOf,
  isNoDeeperThan,
  isNonEmptyString,
  isObject,
  isString,
  nonEmptyStringOf,
  objectOf,
  stringOf,
} from '../lib/json-shape.ts';
import type {
  DismissalRecord,
  RecentDeactivation,
  RoleAlertConnectionStatus,
} from './generated/role-alert-connection.ts';
import {
  clusterConnectionKind,
  type ClusterRoleAlertConnection,
  connectionKind,
  groupVersion,
  type ObjectMeta,
  pendingConnectionStatus,
  pendingStatus,
  policyKind,
  type RoleAlertConnection,
  type RoleAlertPolicy,
} from './resources.ts';
import { type Shape, wrongMember } from './shape.ts';
import { connectionSpec, connectionStatus, policySpec, policyStatus } from './shapes.ts';

export interface DecodedResource<T> {
  /** Absent exactly when there are problems. */
  readonly value?: T;
  /** The path of the first invalid member. Contains member names and indexes only. */
  readonly problems: readonly string[];
}

/** More than any of our objects needs. Comparing and writing recurse as deeply as the object is nested. */
const deepest = 16;

const text: Shape = { type: 'string', minLength: 1 };
const texts: Shape = { type: 'object', additionalProperties: { type: 'string' } };
const metadata: Shape = {
  type: 'object',
  properties: {
    name: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    generation: { type: 'integer' },
    creationTimestamp: text,
    deletionTimestamp: text,
    finalizers: { type: 'array', items: text },
    labels: texts,
    annotations: texts,
  },
  required: ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
};
const clusterMetadata: Shape = {
  ...metadata,
  properties: { ...metadata.properties, namespace: { type: 'string', enum: [] } },
  required: metadata.required?.filter((name) => name !== 'namespace') ?? [],
};

function objectShape(kind: string, metadata: Shape, spec: Shape): Shape {
  const properties = { apiVersion: wordOf(groupVersion), kind: wordOf(kind), metadata, spec };
  return { type: 'object', properties, required: Object.keys(properties) };
}

const wordOf = (word: string): Shape => ({ type: 'string', enum: [word] });

const policyShape = objectShape(policyKind, metadata, policySpec);
const connectionShape = objectShape(connectionKind, metadata, connectionSpec);
const clusterConnectionShape = objectShape(clusterConnectionKind, clusterMetadata, connectionSpec);

/** Returns the object itself when it is valid, or a copy with `pendingStatus` when only its status is invalid. Never throws. */
export function decodePolicy(json: unknown): DecodedResource<RoleAlertPolicy> {
  const problems = problemsOf(policyShape, json);
  if (problems.length > 0 || !isObject(json)) return { problems };
  const value = isReadable(policyStatus, json['status']) ? json : { ...json, status: pendingStatus };
  return { value: value as unknown as RoleAlertPolicy, problems };
}

/** As `decodePolicy`, but keeps the valid records: an alert without its own would stay inactive, and limits would begin anew. */
export function decodeConnection(json: unknown): DecodedResource<RoleAlertConnection> {
  return decodeWithLedger(connectionShape, json);
}

/** As `decodeConnection`. */
export function decodeClusterConnection(json: unknown): DecodedResource<ClusterRoleAlertConnection> {
  return decodeWithLedger(clusterConnectionShape, json);
}

function decodeWithLedger<T>(shape: Shape, json: unknown): DecodedResource<T> {
  const problems = problemsOf(shape, json);
  if (problems.length > 0 || !isObject(json)) return { problems };
  const { status } = json;
  const value = isReadable(connectionStatus, status)
    ? json
    : { ...json, status: { ...pendingConnectionStatus, ...readableRecords(status) } };
  return { value: value as T, problems };
}

/** The metadata of a policy or connection. Never throws. */
export function decodeMetadata(json: unknown): DecodedResource<ObjectMeta> {
  const wrong = wrongMember(metadata, json);
  return wrong === undefined ? { value: json as ObjectMeta, problems: [] } : { problems: [`.metadata${wrong}`] };
}

function problemsOf(shape: Shape, json: unknown): string[] {
  const wrong = isObject(json) && isNoDeeperThan(deepest, json['spec']) ? wrongMember(shape, json) : 'spec';
  return wrong === undefined ? [] : [wrong];
}

function isReadable(shape: Shape, status: unknown): boolean {
  return status === undefined || (isNoDeeperThan(deepest, status) && wrongMember(shape, status) === undefined);
}

const recent = connectionStatus.properties?.['recentDeactivations']?.items ?? connectionStatus;

/** A record without a time counts as old, and one without a policy belongs to none: then only the live alert decides. */
function readableRecords(status: unknown): Pick<RoleAlertConnectionStatus, 'dismissals' | 'recentDeactivations'> {
  const { dismissals, recentDeactivations } = objectOf(status);
  return {
    dismissals: arrayOf(dismissals).filter(isRecord).map(readableDismissal),
    recentDeactivations: arrayOf(recentDeactivations).filter((sent): sent is RecentDeactivation =>
      isReadable(recent, sent),
    ),
  };
}

/** What the register shows besides is left out: the next list of the scope derives it again. */
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
  const { scope, alert } = objectOf(entry);
  return isNonEmptyString(scope) && isNonEmptyString(alert);
}
