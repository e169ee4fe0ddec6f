// The way from a policy to its alerts as a tree, and the one thing that blocks it.
import { formatTimestamp } from '../../lib/timestamp.ts';
import { conditionOf, type ConditionType } from '../../operator/reasons/conditions.ts';
import { connectionKeyOf, partsOfConnectionKey } from '../../policy/connection-key.ts';
import type { AlertStatus, CorrectionRecord } from '../../policy/generated/role-alert-policy.ts';
import { grantOf } from '../../policy/grant.ts';
import { clusterConnectionKind } from '../../policy/resources.ts';
import { counted } from '../preview/preview-sentences.ts';
import { objectName } from '../report/object-name.ts';
import type { ReportedEvent } from '../report/reported-event.ts';
import type { TraceInput } from '../report/trace-input.ts';
import { type Blocker, blockerOf } from './trace-blocker.ts';
import { credentialStep } from './trace-credential.ts';
import type { TraceStep } from './trace-step.ts';

export interface PolicyTrace {
  readonly root: TraceStep;
  /** Undefined while nothing keeps the alerts from their desired states. */
  readonly blocker: Blocker | undefined;
}

export function traceOf(input: TraceInput): PolicyTrace {
  const { policy } = input;
  const { mode, interval } = policy.status?.effective ?? policy.spec;
  const settings = [mode, ...(interval === undefined ? [] : [`every ${interval}`])].join(', ');
  return {
    root: {
      kind: 'Policy',
      name: objectName(policy),
      state: stateOf(policy.status, 'Ready'),
      text: `${conditionText(policy.status, 'Ready')}; ${settings}`,
      children: [connectionStep(input), grantStep(input), scopeStep(input), writesStep(input), eventsStep(input)],
    },
    blocker: blockerOf(input),
  };
}

type Conditioned = Parameters<typeof conditionOf>[0];

function stateOf(status: Conditioned, type: ConditionType): TraceStep['state'] {
  const found = conditionOf(status, type)?.status ?? 'Unknown';
  return found === 'True' ? 'Ok' : found === 'False' ? 'Blocked' : 'Unknown';
}

function conditionText(status: Conditioned, type: ConditionType): string {
  const found = conditionOf(status, type);
  return found ? `${type} is ${found.status} (${found.reason})` : `${type} is not known`;
}

function connectionStep(input: TraceInput): TraceStep {
  const { policy, connection } = input;
  if ('value' in connection) {
    const { spec, status } = connection.value;
    const credential = credentialStep(connection.value, input);
    const capacity =
      conditionOf(status, 'Capacity')?.status === 'False' ? `; ${conditionText(status, 'Capacity')}` : '';
    const text = `${conditionText(status, 'Ready')}${capacity}; ${spec.endpoint.baseURL}`;
    const children = credential ? [credential] : [];
    return { kind: 'Connection', name: objectName(connection.value), state: stateOf(status, 'Ready'), text, children };
  }
  const { kind, namespace, name } = partsOfConnectionKey(connectionKeyOf(policy));
  const step = { kind: 'Connection', name: objectName({ kind, metadata: { namespace, name } }), children: [] } as const;
  if (connection.missing === 'Absent') return { ...step, state: 'Blocked', text: 'does not exist' };
  const text = `you may not read it; of the policy, ${conditionText(policy.status, 'ConnectionReady')}`;
  return { ...step, state: stateOf(policy.status, 'ConnectionReady'), text };
}

function grantStep({ policy, connection, namespace }: TraceInput): TraceStep {
  const step = { kind: 'Grant', name: 'grant', children: [] } as const;
  if (!('value' in connection)) return { ...step, state: 'Unknown', text: 'not known without the connection' };
  const isCluster = connection.value.kind === clusterConnectionKind;
  if (isCluster && !('value' in namespace)) {
    return {
      ...step,
      state: 'Unknown',
      text: `not known: the labels of namespace ${policy.metadata.namespace} decide it`,
    };
  }
  const grant = grantOf(connection.value, policy, 'value' in namespace ? namespace.value : undefined);
  if (grant.list !== 'Allow') {
    return { ...step, state: 'Blocked', text: 'no entry of spec.access allows the policy to list its scope' };
  }
  const text = `list Allow, mode ${grant.mode}, deactivation ${grant.deactivation}, unlisted ${grant.unlisted}`;
  return { ...step, state: 'Ok', text };
}

function scopeStep({ policy: { spec, status } }: TraceInput): TraceStep {
  const { declared, inSync, unmanagedCount } = status?.summary ?? {};
  const counts = declared === undefined ? 'not listed yet' : `${inSync} of ${declared} declared alerts in sync`;
  const others = unmanagedCount === undefined ? '' : `, ${unmanagedCount} others`;
  return {
    kind: 'Scope',
    name: `scope ${status?.effective?.scope ?? spec.scope}`,
    state: declared === undefined ? 'Unknown' : stateOf(status, 'InSync'),
    text: `${counts}${others}`,
    children: (status?.alerts ?? []).map(alertStep),
  };
}

function alertStep({ name, want, live, state, result, severity, incidents, lastDrift }: AlertStatus): TraceStep {
  const drift = lastDrift && `last ${lastDrift.direction} by ${lastDrift.actorClass} at ${lastDrift.at}`;
  const parts = [
    `${result}: want ${want}, live ${live}`,
    `${state}, ${counted(incidents.total, 'incident')}`,
    severity,
    drift,
  ];
  return {
    kind: 'Alert',
    name,
    state: result === 'InSync' ? 'Ok' : result === 'Pending' ? 'Unknown' : 'Blocked',
    text: parts.filter((part) => part !== undefined).join('; '),
    children: [],
  };
}

function writesStep({ policy: { status } }: TraceInput): TraceStep {
  const records = (status?.history ?? []).map(writeRecord);
  const text = records.length === 0 ? 'none' : `${records.length}, newest first`;
  return { kind: 'Writes', name: 'last corrections', state: 'Ok', text, children: records };
}

function writeRecord({ at, alert, direction, reason, count }: CorrectionRecord): TraceStep {
  const times = count > 1 ? `, ${count} times` : '';
  return { kind: 'Record', name: at, state: 'Ok', text: `${alert} ${direction} (${reason}${times})`, children: [] };
}

function eventsStep({ events }: TraceInput): TraceStep {
  const step = { kind: 'Events', name: 'events' } as const;
  if (!('value' in events)) return { ...step, state: 'Unknown', text: 'you may not list them', children: [] };
  const text =
    events.value.length === 0 ? 'none that the API server still has' : `${events.value.length}, newest first`;
  return { ...step, state: 'Ok', text, children: events.value.map(eventRecord) };
}

function eventRecord({ at, type, reason, note, count }: ReportedEvent): TraceStep {
  const times = count > 1 ? ` (${count} times)` : '';
  const name = formatTimestamp(Date.parse(at));
  return { kind: 'Record', name, state: 'Ok', text: `${type} ${reason}${times}: ${note}`, children: [] };
}
