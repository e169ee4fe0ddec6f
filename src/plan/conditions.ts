// Conditions with the semantics of metav1.Condition: `lastTransitionTime` changes only with the status of the
// condition.
import { formatTimestamp } from '../lib/timestamp.ts';
import type { Condition, ConditionStatus } from '../policy/generated/role-alert-policy.ts';
import type { CredentialRef } from '../policy/resources.ts';
import { conditionMessage, type Reason } from './reasons.ts';

/** Reconciling and Stalled exist only while they are True. */
export type ConditionType =
  | 'Ready'
  | 'Reconciling'
  | 'Stalled'
  | 'InSync'
  | 'ConnectionReady'
  | 'IncidentsOpen'
  | 'Coverage';

/** The order of conditions in a status. */
const order: readonly ConditionType[] = [
  'Ready',
  'Reconciling',
  'Stalled',
  'InSync',
  'ConnectionReady',
  'IncidentsOpen',
  'Coverage',
];

export interface ConditionDraft {
  readonly status: ConditionStatus;
  readonly reason: Reason;
  readonly serviceCode?: string | undefined;
  /** The credential of the connection that the condition is about. */
  readonly credential?: CredentialRef | undefined;
  /** Further sentences of the message. */
  readonly notes?: readonly string[];
}

/** `keep` leaves an existing condition unchanged; an absent draft removes the condition. */
export type ConditionDrafts = Partial<Record<ConditionType, ConditionDraft | 'keep' | undefined>>;

export function nextConditions(
  previous: readonly Condition[],
  drafts: ConditionDrafts,
  generation: number,
  nowMs: number,
): Condition[] {
  return order.flatMap((type) => {
    const draft = drafts[type];
    const before = previous.find((condition) => condition.type === type);
    if (draft === 'keep') return before ?? [];
    return draft ? nextCondition(before, type, draft, generation, nowMs) : [];
  });
}

function nextCondition(
  before: Condition | undefined,
  type: ConditionType,
  draft: ConditionDraft,
  generation: number,
  nowMs: number,
): Condition {
  // The default of the schema is no observation, so the first one is a transition whatever its status.
  const isTransition = before?.status !== draft.status || before.reason === 'Pending';
  return {
    type,
    status: draft.status,
    observedGeneration: generation,
    lastTransitionTime: isTransition ? formatTimestamp(nowMs) : before.lastTransitionTime,
    reason: draft.reason,
    message: messageOf(draft),
  };
}

function messageOf({ reason, serviceCode, credential, notes = [] }: ConditionDraft): string {
  return [conditionMessage(reason, serviceCode, credential), ...notes].join(' ');
}

export function conditionOf(
  status: { readonly conditions?: readonly Condition[] } | undefined,
  type: ConditionType,
): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}
