// The log lines of a status transition: one for each condition that differs between two statuses, and none for equal ones.
import type { Condition } from '../policy/generated/role-alert-policy.ts';
import type { ObjectReference } from '../policy/resources.ts';
import type { LogLine } from './conclusion.ts';

interface HasConditions {
  readonly conditions?: readonly Condition[];
}

/**
 * A condition differs with its status, reason or message. `Ready` that becomes False is a warning: exactly one line of a transition
 * says at that level that the object needs attention.
 */
export function conditionLines(
  { kind, namespace, name }: Omit<ObjectReference, 'uid'>,
  before: HasConditions | undefined,
  after: HasConditions,
): LogLine[] {
  const object = { kind, namespace, name };
  const previous = before?.conditions ?? [];
  const next = after.conditions ?? [];
  const changed = next.filter((condition) => !previous.some((each) => isSame(each, condition)));
  const removed = previous.filter(({ type }) => !next.some((each) => each.type === type));
  return [
    ...changed.map(({ type, status, reason, message }): LogLine => {
      const level = type === 'Ready' && status === 'False' ? 'warn' : 'info';
      return { level, message: 'condition changed', fields: { ...object, type, status, reason, message } };
    }),
    ...removed.map(({ type, reason }): LogLine => ({
      level: 'info',
      message: 'condition removed',
      fields: { ...object, type, reason },
    })),
  ];
}

function isSame(a: Condition, b: Condition): boolean {
  return a.type === b.type && a.status === b.status && a.reason === b.reason && a.message === b.message;
}
