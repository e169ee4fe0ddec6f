// The notice that a dismissal in force ends soon. The status is its memory: a row has the end once it was announced, so that a restart
// and a drift repeat no event.
import { sameName } from '../alerts/resource-id.ts';
import { formatTimestamp } from '../lib/timestamp.ts';
import { dismissalEndMs } from '../policy/dismissal.ts';
import type { AlertStatus } from '../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import type { AlertDecision } from './decisions.ts';
import type { Finding, Sentence } from './event-draft.ts';

/** How long before its end a dismissal is announced. */
export const endingNoticeMs = 7 * 24 * 3_600_000;

/** The end to show in the row of the alert, or undefined. `before` is the row of the previous status. */
export function dismissalEnding(
  { name, want, alert, result }: AlertDecision,
  before: AlertStatus | undefined,
  { spec }: RoleAlertPolicy,
  nowMs: number,
): string | undefined {
  if (want.source !== 'DismissalHolds') return undefined;
  const dismissal = spec.alerts?.find((declared) => sameName(declared.name, name))?.dismissal;
  const endMs = dismissal && dismissalEndMs(dismissal);
  if (endMs === undefined || endMs - nowMs > endingNoticeMs) return undefined;
  const end = formatTimestamp(endMs);
  const isInForce = result === 'InSync' && alert?.isActive === false;
  return isInForce || before?.dismissalEnding === end ? end : undefined;
}

export function endingFindings(before: AlertStatus | undefined, after: AlertStatus | undefined): Finding[] {
  const end = after?.dismissalEnding;
  if (end === undefined || end === before?.dismissalEnding) return [];
  return [
    {
      alert: `${after?.name} (until ${end})`,
      type: 'Normal',
      reason: 'DismissalEnding',
      action: 'Reconcile',
      sentence: soon,
    },
  ];
}

const soon: Sentence = {
  one: 'The dismissal of alert {alerts} ends soon; the operator then activates the alert. Extend `until` to keep it inactive.',
  many: 'The dismissals of alerts {alerts} end soon; the operator then activates them. Extend `until` to keep them inactive.',
};
