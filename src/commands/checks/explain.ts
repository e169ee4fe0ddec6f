// What a reason means, and what to do. The sentences are those of the conditions and of the runbook.
import { cleanMessage, cleanText } from '../../lib/clean-text.ts';
import { explainReason } from '../../operator/reasons/reason-notes.ts';
import { allReasons, type Reason } from '../../operator/reasons/reasons.ts';
import type { Condition } from '../../policy/generated/role-alert-policy.ts';

/** Undefined when no condition has such a reason. Compares without regard to case. */
export function findReason(text: string): Reason | undefined {
  return allReasons.find((reason) => reason.toLowerCase() === text.toLowerCase());
}

/** The name of the reason, then its meaning, next step and background, each a paragraph. */
export function reasonText(reason: Reason): string {
  const { message, next, more } = explainReason(reason);
  const paragraphs = [message, next && `Next step: ${next}`, more && withoutLinks(more)].filter(
    (text) => text !== undefined,
  );
  return [reason, ...paragraphs.map((text) => `  ${text}`)].map((line) => `${line}\n`).join('');
}

/** The conditions of one object as the operator wrote them, each with what its message leaves out. */
export function conditionsText(object: string, conditions: readonly Condition[]): string {
  return [`${object}\n`, ...conditions.map(conditionText)].join('\n');
}

function conditionText({ type, status, reason, message, lastTransitionTime }: Condition): string {
  const known = findReason(reason);
  const more = known && explainReason(known).more;
  // The default of the schema has no time.
  const since = Date.parse(lastTransitionTime) > 0 ? `, since ${lastTransitionTime}` : '';
  const lines = [
    cleanText(`${type}: ${status}, ${reason}${since}`, 1024),
    `  ${cleanMessage(message)}`,
    ...(more ? [`  ${withoutLinks(more)}`] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** A link of the runbook becomes its words and its path in the repository. */
function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 (deploy/$2)');
}
