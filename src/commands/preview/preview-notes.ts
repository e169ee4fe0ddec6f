// Why a planned scope keeps an alert as it is: corrections that wait, what is not corrected, and dismissals in force. The sentences
// are those of the conditions that the operator would write.
import type { AlertDecision, Plan, PolicyDecision } from '../../operator/decide/decisions.ts';
import type { PlanInput, PolicyInput } from '../../operator/decide/plan-input.ts';
import { windowFacts } from '../../operator/decide/windows.ts';
import { factsOfPolicy, type MessageFacts } from '../../operator/reasons/message-facts.ts';
import { conditionMessage, type PolicyReason } from '../../operator/reasons/reasons.ts';
import { inSyncNotes, namedAlerts, namedOwners } from '../../operator/report/in-sync-notes.ts';
import { effectiveSettings } from '../../operator/report/policy-status.ts';
import { boundOf } from './preview-sentences.ts';
import type { PreviewNote } from './preview.ts';

interface Noted {
  readonly input: PlanInput;
  readonly plan: Plan;
}

export function decisionNotes({ input, plan }: Noted): readonly PreviewNote[] {
  const policies = new Map(input.policies.map((policy) => [policy.key, policy]));
  return plan.policies.flatMap((decision) => {
    const policy = policies.get(decision.key);
    return policy ? notesOfPolicy(decision, policy, input) : [];
  });
}

function notesOfPolicy(decision: PolicyDecision, policy: PolicyInput, input: PlanInput): readonly PreviewNote[] {
  const facts = factsOfInput(policy, input.intervalMs);
  const whole = (kind: PreviewNote['kind'], reason: PolicyReason) =>
    noteOf(kind, policy.key, { reason, message: conditionMessage(reason, facts) });
  if (policy.isSuspended) return [whole('InForce', 'Suspended')];
  return [
    ...(decision.withheld?.mode ? [whole('NotApplied', 'ModeNotGranted')] : []),
    ...(decision.withheld?.guard ? [whole('NotApplied', 'GuardDenied')] : []),
    ...decision.alerts.flatMap((alert) => notesOfAlert(alert, policy, facts)),
  ];
}

/** What the messages about a policy name. */
export function factsOfInput(policy: PolicyInput, intervalMs: number): MessageFacts {
  return factsOfPolicy(policy.policy, effectiveSettings(policy, intervalMs, false));
}

function notesOfAlert(decision: AlertDecision, policy: PolicyInput, facts: MessageFacts): readonly PreviewNote[] {
  const shown = reasonOf(decision);
  const note = (kind: PreviewNote['kind'], reason: string, message: string, untilMs?: number) =>
    noteOf(kind, policy.key, { alert: decision.name, reason, message, untilMs });
  if (shown) {
    const alertFacts = { alerts: namedAlerts([decision]), owners: namedOwners([decision]), ...windowFacts([decision]) };
    const message = conditionMessage(shown.reason, { ...facts, ...alertFacts });
    return [note(shown.kind, shown.reason, message, decision.untilMs)];
  }
  const dismissal = isDismissed(decision) ? boundOf(policy.policy, decision.name) : undefined;
  if (dismissal) {
    const message = `Alert ${decision.name}: stays inactive ${dismissal.bound}. Reason: ${dismissal.reason}`;
    return [note('InForce', 'DismissalHolds', message)];
  }
  return inSyncNotes([decision]).map((message) => note('InForce', decision.want.source, message));
}

function isDismissed({ result, want, alert }: AlertDecision): boolean {
  return result === 'InSync' && want.state === 'Inactive' && alert !== undefined;
}

/** Undefined for an alert that is in sync, not managed, or about to be corrected. */
function reasonOf({
  result,
  reason,
}: AlertDecision): { readonly kind: 'Held' | 'NotApplied'; readonly reason: PolicyReason } | undefined {
  if (result === 'Conflict') return { kind: 'NotApplied', reason: 'ScopeConflict' };
  if (result === 'Missing') return { kind: 'NotApplied', reason: 'AlertNotFound' };
  if (reason === undefined) return undefined;
  if (reason === 'ObserveOnly') return { kind: 'NotApplied', reason: 'Observed' };
  return { kind: result === 'Held' ? 'Held' : 'NotApplied', reason };
}

/** A note of a policy. */
export function noteOf(
  kind: PreviewNote['kind'],
  policy: string | undefined,
  { alert, reason, message, untilMs }: Pick<PreviewNote, 'reason' | 'message'> & Partial<PreviewNote>,
): PreviewNote {
  return { kind, alert, policy, reason, message, untilMs };
}
