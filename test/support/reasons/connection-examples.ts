// One example for every reason of a connection. A reason without an example does not compile.
import { conditionLines } from '../../../src/plan/condition-lines.ts';
import { connectionEvent, nextConnectionStatus } from '../../../src/plan/connection-status.ts';
import type { ConnectionReason } from '../../../src/plan/reasons.ts';
import { referenceTo } from '../../../src/policy/resources.ts';
import { connection, nowMs } from '../builders/objects.ts';
import { keeping, type Produced } from './example.ts';

interface ConnectionExample {
  /** Why a connection has no such condition; required unless it has one. */
  readonly noCondition?: string;
  /** Why no event has the reason; required unless one has. */
  readonly noEvent?: string;
  /** Why the message names no object and no next step. */
  readonly isGeneral?: string;
}

export const connectionExamples: Readonly<Record<ConnectionReason, ConnectionExample>> = {
  Connected: { noEvent: '`ConnectionRestored` reports the recovery', isGeneral: 'there is nothing to do' },
  SecretNotFound: {},
  SecretNotAllowed: {},
  Unauthorized: {},
  TokenEndpointFailed: {},
  TLSFailed: {},
  Unreachable: {},
  CircuitOpen: {},
  Throttled: { noEvent: 'a short pause is normal; policies report `Stale` after three intervals' },
  InvalidEndpoint: {},
  ConnectionNotFound: {
    noCondition: 'the connection does not exist; `ConnectionReady` of its policies shows it',
    noEvent: 'the connection does not exist; its policies report it',
  },
};

/** What a connection that worked produces when its health becomes this. */
export function produceHealth(health: ConnectionReason): Produced {
  const { log, events, kept } = keeping();
  const object = connection();
  const regarding = referenceTo(object);
  if (health === 'ConnectionNotFound') return kept;
  const event = connectionEvent(health === 'Connected' ? 'Unauthorized' : 'Connected', health, object);
  if (event) events.record({ regarding, ...event });
  const facts = { policies: 12, scopes: 9, predictedRequestsPerHour: 36, dismissals: [], recentDeactivations: [] };
  const status = nextConnectionStatus(object, { health, triedGeneration: 1, ...facts }, nowMs);
  for (const { level, fields, message } of conditionLines(regarding, object.status, status))
    log[level](fields, message);
  return { object: { ...object, status }, ...kept };
}
