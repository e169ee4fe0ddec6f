// What the status of a connection says about its rate limit: the condition Capacity, the predicted requests and the estimate
// of a first round. All of it changes with the spec, the policies and their pages only.
import type { RoleAlertConnectionStatus } from '../policy/generated/role-alert-connection.ts';
import type { AnyConnection } from '../policy/resources.ts';
import {
  capacityDraft,
  comparisonDraft,
  firstRoundText,
  type Load,
  predictedRequestsPerHour,
  requestsOfRound,
} from './capacity.ts';
import { type ConditionDraft, conditionOf } from './conditions.ts';
import type { EventDraft } from './event-draft.ts';

/** The policies of a connection, and what they need of its rate limit. */
export interface ConnectionCounts {
  readonly policies: number;
  readonly scopes: number;
  /** Namespaces with policies of a ClusterRoleAlertConnection. */
  readonly namespaces: number;
  readonly loads: readonly Load[];
  /** True until this process has tried every scope: a scope counts as one page before its first list. */
  readonly isFirstRound: boolean;
}

type Needs = Pick<RoleAlertConnectionStatus, 'predictedRequestsPerHour' | 'firstRoundEstimate'>;

interface Capacity {
  readonly condition: ConditionDraft | 'keep';
  readonly needs: Needs;
}

/**
 * `previous`: the status so far. Its need stays if it says more than the lists of a first round so far, so that a restart
 * without changes writes nothing.
 */
export function capacityOf(
  previous: RoleAlertConnectionStatus,
  connection: AnyConnection,
  { loads, isFirstRound }: ConnectionCounts,
): Capacity {
  const { spec } = connection;
  const predicted = predictedRequestsPerHour(loads);
  const { predictedRequestsPerHour: before = 0 } = previous;
  // Without scopes to list no round would end.
  if (isFirstRound && predicted < before && loads.length > 0) return keptCapacity(previous, connection, before);
  const requests = requestsOfRound(loads);
  const estimate = requests > 0 && { firstRoundEstimate: firstRoundText(requests, spec.limits) };
  return {
    condition: capacityDraft(loads, spec.limits),
    needs: { predictedRequestsPerHour: predicted, ...estimate },
  };
}

/** After an edit the limit may be another one: the condition compares it, and the estimate waits for the lists. */
function keptCapacity(
  previous: RoleAlertConnectionStatus,
  { metadata, spec }: AnyConnection,
  needed: number,
): Capacity {
  const { firstRoundEstimate } = previous;
  const needs = { predictedRequestsPerHour: needed };
  const shown = conditionOf(previous, 'Capacity');
  if (shown !== undefined && shown.observedGeneration !== metadata.generation)
    return { condition: comparisonDraft(needed, spec.limits), needs };
  return { condition: 'keep', needs: { ...needs, ...(firstRoundEstimate !== undefined && { firstRoundEstimate }) } };
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
