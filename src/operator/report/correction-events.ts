// The events of verified corrections, and of dismissals that the ledger loses without one.
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import type { AlertStatus, DismissalEnd } from '../../policy/generated/role-alert-policy.ts';
import { isDrift } from '../decide/drift.ts';
import type { Correction } from '../decide/memory.ts';
import { type EventDraft, type Finding, joinFindings, namingAll } from './event-draft.ts';

/** The events of corrections on one scope that no policy declares: one for each reason. */
export function correctionEvents(corrections: readonly Correction[], scope: string): EventDraft[] {
  return joinFindings(corrections.map((correction) => correctionOf(correction, undefined, scope)));
}

/** `before`: the row of the alert in the previous status. `scope`: for a correction that no policy declares. */
export function correctionOf(correction: Correction, before: AlertStatus | undefined, scope = ''): Finding {
  const { alert, isActive, cause, actor } = correction;
  if (!isActive) {
    const sentence = isDrift(correction, before)
      ? `{Alert|Alerts} {alerts} {was|were} active (inferred actor: ${actor}) although {it is|they are} dismissed; {it was|they were} deactivated, and a list verified {it|them}.`
      : dismissedSentence;
    return { alert, reason: 'AlertDeactivated', action: 'Deactivate', sentence };
  }
  switch (cause) {
    case 'DismissalExpired':
    case 'NewIncidents':
      return { alert, reason: cause, action: 'Activate', sentence: endedSentences[cause]('ended', 'active again') };
    case 'DeclarationGone': {
      const sentence = `No policy declares {a granted dismissal|granted dismissals} of {alert|alerts} {alerts} of scope ${scope} any more; the {alert is|alerts are} active again.`;
      return { alert, reason: cause, action: 'Activate', sentence };
    }
    default: {
      const sentence = `{Alert|Alerts} {alerts} {was|were} inactive (inferred actor: ${actor}) although {its|their} desired state is Active; {it was|they were} activated, and a list verified {it|them}.`;
      return { alert, reason: 'DriftCorrected', action: 'Activate', sentence };
    }
  }
}

export const dismissedSentence =
  '{Alert|Alerts} {alerts} {was|were} deactivated under {its dismissal|their dismissals}; a list verified {it|them}.';

/** A dismissal that is no longer in force: how it ended, and what the alert is now. */
export const endedSentences: Readonly<Record<DismissalEnd, (ended: string, now: string) => string>> = {
  DismissalExpired: (ended, now) =>
    `The {dismissal|dismissals} of {alert|alerts} {alerts} ${ended}; the {alert is|alerts are} ${now}. Extend \`until\`, or declare {it|them} Active.`,
  NewIncidents: (_, now) =>
    `{Alert|Alerts} {alerts} {has|have} incidents beyond the {bound of its dismissal|bounds of their dismissals}; {it is|they are} ${now}. Handle the incidents, or extend the {dismissal|dismissals}.`,
};

type Entry = Pick<DismissalRecord, 'alert' | 'scope'>;

/** The events for dismissals that the ledger drops without proof, because the service no longer lists the alerts. */
export function droppedEvents(entries: readonly Entry[]): EventDraft[] {
  const findings = entries.map(({ alert, scope }): Finding => {
    const sentence = `The service has not listed {alert|alerts} {alerts} of scope ${scope} for a day; {its dismissal is|their dismissals are} no longer recorded. Declare the state Active in a policy, in case the service lists it again as inactive.`;
    return { alert, reason: 'DismissalDropped', sentence };
  });
  return joinFindings(findings);
}

/** The events for dismissals that go with the namespace of their connection. They name every alert. */
export function abandonedEvents(entries: readonly Entry[]): EventDraft[] {
  const findings = entries.map(({ alert, scope }): Finding => {
    const sentence = `{Alert|Alerts} {alerts} of scope ${scope} may stay inactive: the service did not show {it|them} active before the deletion of the namespace had to go on. Declare {it|them} Active in another namespace, or activate {it|them} in the service.`;
    return { alert, reason: 'DismissalsAbandoned', sentence };
  });
  return [...Map.groupBy(findings, ({ sentence }) => sentence).values()].flatMap(namingAll);
}
