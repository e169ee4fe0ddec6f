// The words of one change: its cause, and the reason and the bound of a dismissal.
import { sameName } from '../../alerts/resource-id.ts';
import { cleanText } from '../../lib/clean-text.ts';
import type { Action } from '../../operator/decide/decisions.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import type { WantSource } from '../../policy/wants.ts';

export interface ShownDismissal {
  readonly reason: string;
  readonly until?: string;
  readonly incidents?: readonly string[];
  readonly maxIncidents?: number;
  /** The bound in words. */
  readonly bound: string;
}

/** UTF-16 units of a reason that are shown. */
const reasonLimit = 1024;

/** What the policy declares about the alert; undefined without a dismissal. */
export function boundOf({ spec }: RoleAlertPolicy, alert: string): ShownDismissal | undefined {
  const dismissal = spec.alerts?.find(({ name }) => sameName(name, alert))?.dismissal;
  if (!dismissal) return undefined;
  const { reason, until, incidents, maxIncidents } = dismissal;
  const named = incidents?.map((id) => cleanText(id));
  const bounds = [
    ...(until === undefined ? [] : [`until ${cleanText(until)}`]),
    ...(maxIncidents === undefined ? [] : [`while it has at most ${counted(maxIncidents, 'incident')}`]),
    ...(named ? [`while it has no incidents but ${named.join(', ')}`] : []),
  ];
  return {
    reason: cleanText(reason, reasonLimit),
    ...(until !== undefined && { until }),
    ...(named && { incidents: named }),
    ...(maxIncidents !== undefined && { maxIncidents }),
    bound: bounds.join(', and '),
  };
}

/** `source`: that of the owner's want; undefined when no policy declares the alert. Without a full stop. */
export function causeSentence({ cause, isActive, actor }: Action, source: WantSource | undefined): string {
  if (cause !== 'Declared') return causes[cause];
  if (source === 'DismissalExpired' || source === 'NewIncidents') return causes[source];
  const state = isActive ? 'Active' : 'Inactive';
  const by = actor === 'Unknown' || actor === 'Self' ? '' : `; ${changers[actor]} probably changed it`;
  return `declared ${state}${by}`;
}

const causes = {
  Unlisted: 'spec.unlisted guards it',
  DismissalHolds: 'declared Inactive, and the dismissal is in force',
  DismissalExpired: 'declared Inactive, and the dismissal has ended',
  NewIncidents: 'declared Inactive, and incidents exceed the bound of the dismissal',
  DeclarationGone: 'the operator deactivated it, and no dismissal in force declares that any more',
} as const;

/** Who probably changed an alert. */
export const changers = {
  Scan: 'a scan of the service',
  User: 'a user',
  Application: 'an application',
  ManagedIdentity: 'a managed identity',
  Key: 'the holder of a key',
} as const;

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
