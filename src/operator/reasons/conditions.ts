// Conditions with the semantics of metav1.Condition: `lastTransitionTime` changes only with the status of the
// condition.
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { Condition, ConditionStatus } from '../../policy/generated/role-alert-policy.ts';
import type { MessageFacts } from './message-facts.ts';
import { conditionMessage, type Reason } from './reasons.ts';

/** Reconciling and Stalled exist only while they are True, Coverage only while it is False. */
export type ConditionType = (typeof order)[number];

/** The order of conditions in a status. */
const order = [
  'Ready',
  'Capacity',
  'Reconciling',
  'Stalled',
  'InSync',
  'ConnectionReady',
  'IncidentsOpen',
  'Coverage',
] as const;

export interface ConditionDraft {
  readonly status: ConditionStatus;
  readonly reason: Reason;
  /** What the message names besides the object's scope and connection. */
  readonly facts?: MessageFacts;
  /** Further sentences of the message. */
  readonly notes?: readonly string[];
}

export const yes = (reason: Reason): ConditionDraft => ({ status: 'True', reason });
export const no = (reason: Reason): ConditionDraft => ({ status: 'False', reason });
export const unknown = (reason: Reason): ConditionDraft => ({ status: 'Unknown', reason });

/** `keep` leaves an existing condition unchanged; an absent draft removes the condition. */
export type ConditionDrafts = Partial<Record<ConditionType, ConditionDraft | 'keep' | undefined>>;

/** `facts`: what the messages of all conditions name. */
export function nextConditions(
  previous: readonly Condition[],
  drafts: ConditionDrafts,
  generation: number,
  nowMs: number,
  facts: MessageFacts = {},
): Condition[] {
  return order.flatMap((type) => {
    const draft = drafts[type];
    const before = previous.find((condition) => condition.type === type);
    if (draft === 'keep') return before ?? [];
    return draft ? nextCondition(before, { type, draft, message: messageOf(draft, facts) }, generation, nowMs) : [];
  });
}

function nextCondition(
  before: Condition | undefined,
  { type, draft, message }: { type: ConditionType; draft: ConditionDraft; message: string },
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
    message,
  };
}

function messageOf({ reason, facts: own, notes }: ConditionDraft, facts: MessageFacts): string {
  const message = conditionMessage(reason, own ? { ...facts, ...own } : facts);
  return notes ? [message, ...notes].join(' ') : message;
}

export function conditionOf(
  status: { readonly conditions?: readonly Condition[] } | undefined,
  type: ConditionType,
): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}
