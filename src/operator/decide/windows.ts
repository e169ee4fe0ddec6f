// How the correction windows of a policy and of its connection hold the deactivations of the policy.
import { formatTimestamp } from '../../lib/timestamp.ts';
import { connectionKeyOf } from '../../policy/connection-key.ts';
import { windowState } from '../../policy/correction-windows.ts';
import { connectionName, type MessageFacts } from '../reasons/message-facts.ts';
import type { AlertDecision, WindowHold } from './decisions.ts';
import type { PolicyInput } from './plan-input.ts';

/** Evaluates the windows of each policy once, when a decision first depends on them. */
export function windowHolds(nowMs: number): (input: PolicyInput) => WindowHold | undefined {
  const known = new Map<PolicyInput, WindowHold | undefined>();
  return (input) => {
    if (!known.has(input)) known.set(input, holdOf(input, nowMs));
    return known.get(input);
  };
}

function holdOf({ policy, key, grant }: PolicyInput, nowMs: number): WindowHold | undefined {
  const sets = [policy.spec.correctionWindows ?? [], grant.correctionWindows ?? []];
  const state = windowState(sets, nowMs);
  switch (state.kind) {
    case 'Open':
      return undefined;
    case 'Closed':
      return { reason: 'WaitingForWindow', untilMs: state.opensAtMs };
    case 'Never':
      return { reason: 'NoWindowAhead' };
    case 'Invalid': {
      const object = state.set === 0 ? `policy ${key}` : connectionName('connection', connectionKeyOf(policy));
      return {
        reason: 'WindowInvalid',
        invalidWindow: `spec.correctionWindows[${state.window}].${state.member} of ${object}`,
      };
    }
  }
}

/** What messages say about the windows that hold these alerts. */
export function windowFacts(alerts: readonly AlertDecision[]): Pick<MessageFacts, 'opening' | 'window'> {
  const openings = alerts.flatMap(({ untilMs }) => untilMs ?? []);
  return {
    opening: openings.length === 0 ? undefined : formatTimestamp(Math.min(...openings)),
    window: alerts.find(({ invalidWindow }) => invalidWindow !== undefined)?.invalidWindow,
  };
}
