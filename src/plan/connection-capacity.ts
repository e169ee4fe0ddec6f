// What the status of a connection says about its rate limit: the condition Capacity, the predicted requests and the estimate
// of a first round. All of it changes with the spec, the policies and their pages only.
import type { RoleAlertConnectionStatus } from '../policy/generated/role-alert-connection.ts';
import type { RoleAlertConnection } from '../policy/resources.ts';
import { capacityDraft, firstRoundText, type Load, predictedRequestsPerHour, requestsOfRound } from './capacity.ts';
import { type ConditionDraft, conditionOf } from './conditions.ts';
import type { EventDraft } from './event-draft.ts';

/** The policies of a connection, and what they need of its rate limit. */
export interface ConnectionCounts {
  readonly policies: number;
  readonly scopes: number;
  readonly loads: readonly Load[];
  /** True until the first round of this process is complete: a scope counts as one page before its first list. */
  readonly isFirstRound: boolean;
}

type Needs = Pick<RoleAlertConnectionStatus, 'predictedRequestsPerHour' | 'firstRoundEstimate'>;

interface Capacity {
  readonly condition: ConditionDraft | 'keep';
  readonly needs: Needs;
}

/**
 * `previous`: the status so far. It stays if it says more than the lists of a first round so far, so that a restart without
 * changes writes nothing.
 */
export function capacityOf(
  previous: Needs | undefined,
  { spec }: RoleAlertConnection,
  { loads, isFirstRound }: ConnectionCounts,
): Capacity {
  const predicted = predictedRequestsPerHour(loads);
  const { predictedRequestsPerHour: before = 0, firstRoundEstimate } = previous ?? {};
  if (isFirstRound && predicted < before) {
    const estimate = firstRoundEstimate !== undefined && { firstRoundEstimate };
    return { condition: 'keep', needs: { predictedRequestsPerHour: before, ...estimate } };
  }
  const requests = requestsOfRound(loads);
  const estimate = requests > 0 && { firstRoundEstimate: firstRoundText(requests, spec.limits) };
  return {
    condition: capacityDraft(loads, spec.limits),
    needs: { predictedRequestsPerHour: predicted, ...estimate },
  };
}

/** The event for a rate limit that no longer suffices, or suffices again. */
export function capacityEvent(
  before: RoleAlertConnectionStatus | undefined,
  after: RoleAlertConnectionStatus,
): EventDraft | undefined {
  const { status, message: note } = conditionOf(after, 'Capacity') ?? { status: 'Unknown' };
  const wasTooSmall = conditionOf(before, 'Capacity')?.status === 'False';
  if (note === undefined || status === 'Unknown' || (status === 'False') === wasTooSmall) return undefined;
  return wasTooSmall
    ? { type: 'Normal', reason: 'BudgetSufficient', action: 'Connect', note }
    : { type: 'Warning', reason: 'BudgetTooSmall', action: 'Connect', note };
}
