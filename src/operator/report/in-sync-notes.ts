// What the message of InSync adds about alerts that are in sync for a reason that the spec does not show: a dismissal that is not in
// force, or a name that the service does not list; and about those that other clients keep deactivating between two lists. It
// changes only with the spec and the alerts.
import type { AlertDecision } from '../decide/decisions.ts';
import { joinNames, nameLimit } from './event-draft.ts';

const notes: readonly { readonly fits: (decision: AlertDecision) => boolean; readonly text: string }[] = [
  {
    fits: ({ want, result }) => want.source === 'DismissalExpired' && result === 'InSync',
    text: 'active although declared Inactive, because the dismissal has ended. Extend `until`, or declare the state Active.',
  },
  {
    fits: ({ want, result }) => want.source === 'NewIncidents' && result === 'InSync',
    text: 'active although declared Inactive, because incidents exceed the bound of the dismissal. Handle the incidents, or extend the dismissal.',
  },
  {
    fits: ({ isUndone, result }) => isUndone === true && result === 'InSync',
    text: 'active, but deactivated by another client again and again. Find out which client (lastDrift in status.alerts).',
  },
  {
    fits: ({ want, alert }) => want.state === 'Inactive' && !alert,
    text: 'declared Inactive, but not listed by the service. Check the name, or remove it from the spec.',
  },
];

export function inSyncNotes(decisions: readonly AlertDecision[]): string[] {
  return notes.flatMap(({ fits, text }) => {
    const alerts = decisions.filter(fits);
    return alerts.length === 0 ? [] : [`${namedAlerts(alerts)}: ${text}`];
  });
}

/** `Alert A`, or `Alerts A, B, C, D, E and 2 more`. */
export function namedAlerts(decisions: readonly AlertDecision[]): string {
  const names = decisions.map(({ name }) => name).sort();
  return `${names.length === 1 ? 'Alert' : 'Alerts'} ${joinNames(names, nameLimit)}`;
}

/** `policy a/b`, or `policies a/b and c/d`; undefined when no other policy owns one of the alerts. */
export function namedOwners(decisions: readonly AlertDecision[]): string | undefined {
  const owners = [...new Set(decisions.flatMap(({ ownerKey }) => ownerKey ?? []))].sort();
  if (owners.length === 0) return undefined;
  return `${owners.length === 1 ? 'policy' : 'policies'} ${joinNames(owners, nameLimit)}`;
}
