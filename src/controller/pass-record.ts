// What a pass writes down: the status of every policy that came through its connection, and the corrections that no policy
// is left to tell. What each policy gets is pass.ts's to say; how one status is written is in record.ts.
import { isOperatorError, type OperatorError } from '../lib/errors.ts';
import type { Correction } from '../plan/corrections.ts';
import { correctionEvent } from '../plan/events.ts';
import { policyIntervalMs } from '../plan/schedule.ts';
import { effectiveSettings, type LookOutcome } from '../plan/status.ts';
import type { PolicyInput } from '../plan/types.ts';
import { referenceTo, type RoleAlertConnection } from '../policy/resources.ts';
import type { Gathered } from './gather.ts';
import type { Pass, PassTools } from './pass.ts';
import { recordPolicy } from './record.ts';

/**
 * Rejects with the first write that failed; the others are not held up by it. Of an API server that does not answer only the first few
 * ask: each of them takes as long as its deadline.
 */
export async function recordAll(
  pass: Pass,
  gathered: Gathered,
  outcomeOf: (input: PolicyInput) => LookOutcome,
): Promise<void> {
  const own = gathered.policies.filter(({ isOwn }) => isOwn);
  let away: OperatorError | undefined;
  const record = async (input: PolicyInput) => {
    if (away) throw away;
    try {
      await recordOne(pass, gathered, input, outcomeOf(input));
    } catch (error) {
      if (isOperatorError(error, 'kube-unreachable')) away = error;
      throw error;
    }
  };
  await Promise.all(own.map((input) => pass.session.statusWrites(() => record(input))));
}

async function recordOne(pass: Pass, gathered: Gathered, input: PolicyInput, outcome: LookOutcome): Promise<void> {
  const { tools, session, ref, signal } = pass;
  const { connection } = gathered;
  const intervalMs = connection
    ? policyIntervalMs(input.policy, connection, tools.defaultIntervalMs)
    : tools.defaultIntervalMs;
  const effective = effectiveSettings(input.policy, intervalMs, tools.isReadOnly, ref.scope);
  const health = connection ? (session.health ?? ('keep' as const)) : undefined;
  const { damping } = session.memory(ref.scope);
  const status = { policy: input.policy, outcome, effective, connection: health, damping, nowMs: tools.clock.now() };
  await recordPolicy(tools, status, signal);
  if (outcome.kind === 'looked') session.memory(ref.scope).unrecorded.delete(input.key);
}

/** Corrections stay until a status tells them: the API server may be away just now. */
export function keepUnrecorded(pass: Pass, corrections: readonly Correction[]): void {
  const { unrecorded } = pass.session.memory(pass.ref.scope);
  for (const correction of corrections) {
    if (correction.policyKey === undefined) continue;
    unrecorded.set(correction.policyKey, [...(unrecorded.get(correction.policyKey) ?? []), correction]);
  }
}

/** A dismissal that nobody declares any more has no policy to tell it; its connection does. */
export function announceOrphans(
  tools: PassTools,
  connection: RoleAlertConnection,
  corrections: readonly Correction[],
): void {
  const regarding = referenceTo(connection);
  for (const correction of corrections) {
    if (correction.policyKey === undefined) tools.events.record({ regarding, ...correctionEvent(correction) });
  }
}
