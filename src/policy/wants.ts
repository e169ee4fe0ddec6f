// The state that one policy wants for one alert at a given time, and whether the connection grants it. operator/decide/claims.ts decides
// among several policies.
import type { Alert } from '../alerts/types.ts';
import { dismissalEndMs, dismissalState, isComplete, needsEnd } from './dismissal.ts';
import type { Dismissal, DismissalEnd, PolicyAlert } from './generated/role-alert-policy.ts';
import type { Grant } from './grant.ts';
import type { RoleAlertPolicy } from './resources.ts';
import { severityRank } from './severity.ts';

export type WantedState = 'Active' | 'Inactive' | 'None';
export type WantSource =
  | 'Declared'
  | 'DismissalHolds'
  | 'DismissalExpired'
  | 'NewIncidents'
  | 'Unlisted'
  | 'NotDeclared';
export type Denial = 'DeactivationDenied' | 'DismissalIncomplete' | 'DismissalTooLong';

/** True when the policy declares a dismissal that is not in force. */
export function isEnded(source: WantSource): source is DismissalEnd {
  return source === 'DismissalExpired' || source === 'NewIncidents';
}

export interface Want {
  readonly state: WantedState;
  readonly source: WantSource;
  /** Set when the declaration holds but is not granted. Such a want causes no action, and its claim does not compete. */
  readonly denial?: Denial;
}

const nothing: Want = { state: 'None', source: 'NotDeclared' };

/** `alert` is the live alert, undefined when it is not listed; `declared` is the policy's entry for it, if any. */
export function wantOf(
  policy: RoleAlertPolicy,
  declared: PolicyAlert | undefined,
  alert: Alert | undefined,
  grant: Grant,
  nowMs: number,
): Want {
  if (!declared) return grant.unlisted === 'Allow' ? wantOfUnlisted(policy, alert) : nothing;
  if (declared.state === 'Active') return { state: 'Active', source: 'Declared' };
  // Without a dismissal there is no bound, so the deactivation is denied. The schema rejects such a policy.
  if (!declared.dismissal) return { state: 'Inactive', source: 'Declared', denial: 'DismissalIncomplete' };
  return wantOfDismissal(declared.dismissal, alert, grant, nowMs);
}

function wantOfDismissal(dismissal: Dismissal, alert: Alert | undefined, grant: Grant, nowMs: number): Want {
  const state = dismissalState(dismissal, alert, nowMs);
  if (state !== 'Holds') return { state: 'Active', source: state };
  const denial = denialOf(dismissal, grant, nowMs);
  return { state: 'Inactive', source: 'DismissalHolds', ...(denial && { denial }) };
}

function denialOf(dismissal: Dismissal, grant: Grant, nowMs: number): Denial | undefined {
  if (grant.deactivation !== 'Allow') return 'DeactivationDenied';
  if (!isComplete(dismissal)) return 'DismissalIncomplete';
  const endMs = dismissalEndMs(dismissal) ?? Infinity;
  if (needsEnd(dismissal, grant) && endMs - nowMs > grant.maxDismissalMs) return 'DismissalTooLong';
  return undefined;
}

function wantOfUnlisted(policy: RoleAlertPolicy, alert: Alert | undefined): Want {
  const { unlisted } = policy.spec;
  if (!alert || unlisted.state !== 'Active') return nothing;
  const isGuarded = severityRank(alert.severity) >= severityRank(unlisted.minSeverity);
  return isGuarded ? { state: 'Active', source: 'Unlisted' } : nothing;
}
