// One example for every reason of a connection. A reason without an example does not compile.
import { formatTimestamp } from '../../../src/lib/timestamp.ts';
import { recordTransition } from '../../../src/operator/logging.ts';
import type { CapacityReason, ConnectionReason } from '../../../src/operator/reasons/reasons.ts';
import { capacityEvent } from '../../../src/operator/report/capacity.ts';
import {
  type ConnectionFacts,
  connectionEvent,
  nextConnectionStatus,
} from '../../../src/operator/report/connection-status.ts';
import type { RoleAlertConnectionSpec } from '../../../src/policy/generated/role-alert-connection.ts';
import { type AnyConnection, referenceTo } from '../../../src/policy/resources.ts';
import { clusterNamespace, connection, federatedAuth, ledgerEntry, nowMs } from '../builders/objects.ts';
import { keeping, type Produced } from './example.ts';

interface ConnectionExample {
  /** Why a connection has no such condition; required unless it has one. */
  readonly noCondition?: string;
  /** Why no event has the reason; required unless one has. */
  readonly noEvent?: string;
  /** Why the message names no object and no next step. */
  readonly isGeneral?: string;
  /** For a reason that only such a connection has. */
  readonly spec?: Partial<RoleAlertConnectionSpec>;
  readonly isBeingDeleted?: true;
}

const federated: ConnectionExample = { spec: { auth: federatedAuth } };
const caBundleRef = { kind: 'ConfigMap', name: 'authority', key: 'ca.crt' } as const;

export const connectionExamples: Readonly<Record<ConnectionReason, ConnectionExample>> = {
  Connected: { noEvent: '`ConnectionRestored` reports the recovery', isGeneral: 'there is nothing to do' },
  SecretNotFound: {},
  SecretInvalid: {},
  SecretNotAllowed: {},
  ServiceAccountNotFound: federated,
  ServiceAccountNotAllowed: federated,
  AudienceNotAllowed: federated,
  TokenRequestFailed: federated,
  Unauthorized: {},
  TokenEndpointFailed: {},
  TLSFailed: {},
  Unreachable: {},
  CircuitOpen: {},
  Throttled: { noEvent: 'a short pause is normal; policies report `Stale` after three intervals' },
  InvalidEndpoint: {},
  HostNotAllowed: {},
  CABundleNotFound: { spec: { endpoint: { ...connection().spec.endpoint, caBundleRef } } },
  CRDOutdated: { noEvent: 'the log line of the condition is a warning' },
  Deleting: { isBeingDeleted: true, noEvent: 'every alert that the operator activates has an event' },
  ConnectionNotFound: {
    noCondition: 'the connection does not exist; `ConnectionReady` of its policies shows it',
    noEvent: 'the connection does not exist; its policies report it',
  },
};

export const capacityExamples: Readonly<Record<CapacityReason, ConnectionExample>> = {
  BudgetSufficient: { isGeneral: 'there is nothing to do' },
  BudgetTooSmall: {},
};

const facts: ConnectionFacts = {
  health: 'Connected',
  triedGeneration: 1,
  policies: 12,
  scopes: 9,
  namespaces: 0,
  clusterNamespace,
  loads: [{ intervalMs: 900_000, requests: 9 }],
  isFirstRound: false,
  dismissals: [],
  recentDeactivations: [],
};

/** What a connection produces when its rate limit becomes sufficient or too small. */
export function produceCapacity(reason: CapacityReason): Produced {
  const { log, events, kept } = keeping();
  const enough = connection();
  const tooSmall = connection({ limits: { ...enough.spec.limits, requestsPerHour: 20 } });
  const [first, object] = reason === 'BudgetTooSmall' ? [enough, tooSmall] : [tooSmall, enough];
  const before = { ...object, status: nextConnectionStatus(first, facts, nowMs) };
  const status = nextConnectionStatus(before, facts, nowMs);
  const event = capacityEvent(before.status, status);
  recordTransition({ log, events }, before, status, event ? [event] : []);
  return { object: { ...object, status }, ...kept };
}

/** What a connection that worked produces when its health becomes this. `make`: another one than `connection()`. */
export function produceHealth(
  health: ConnectionReason,
  make: (spec?: Partial<RoleAlertConnectionSpec>) => AnyConnection = connection,
): Produced {
  const { log, events, kept } = keeping();
  const { spec, isBeingDeleted } = connectionExamples[health];
  const before = make(spec);
  const metadata = { ...before.metadata, ...(isBeingDeleted && { deletionTimestamp: formatTimestamp(nowMs) }) };
  const object = { ...before, metadata } as AnyConnection;
  const regarding = referenceTo(object);
  if (health === 'ConnectionNotFound') return kept;
  const event = connectionEvent(health === 'Connected' ? 'Unauthorized' : 'Connected', health, object, {
    clusterNamespace,
  });
  if (event && health !== 'Deleting' && health !== 'CRDOutdated') events.record({ regarding, ...event });
  const dismissals = isBeingDeleted ? [{ ...ledgerEntry(), since: formatTimestamp(nowMs) }] : [];
  const status = nextConnectionStatus(object, { ...facts, health, dismissals }, nowMs);
  recordTransition({ log, events }, object, status, []);
  return { object: { ...object, status }, ...kept };
}
