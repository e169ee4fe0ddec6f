// Edits that change nothing anybody could notice, one by one, with the reason. At most three in a hundred of a folder, and each must
// still be there: `npm run mutate` fails otherwise.
import type { EditKind } from './edits/edit.ts';

export interface Equivalent {
  readonly file: string;
  readonly kind: EditKind;
  /** The text of the site, as the report prints it. Where it occurs several times, all of them are meant. */
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

export const equivalents: readonly Equivalent[] = [
  {
    file: 'src/policy/dismissal.ts',
    kind: 'condition dropped',
    before: 'untilMs !== undefined && nowMs >= untilMs',
    after: 'nowMs >= untilMs',
    reason: 'Nothing is at or after undefined.',
  },
  {
    file: 'src/policy/dismissal.ts',
    kind: 'condition dropped',
    before: 'maxIncidents !== undefined && alert.incidentCount > maxIncidents',
    after: 'alert.incidentCount > maxIncidents',
    reason: 'Nothing is more than undefined.',
  },
  {
    file: 'src/policy/label-selector.ts',
    kind: 'fallback dropped',
    before: "set['values'] ?? ''",
    after: "set['values']",
    reason: 'The group takes part in every match.',
  },
  {
    file: 'src/policy/label-selector.ts',
    kind: 'fallback dropped',
    before: "equality['value'] ?? ''",
    after: "equality['value']",
    reason: 'The group takes part in every match.',
  },
  {
    file: 'src/policy/label-selector.ts',
    kind: 'condition dropped',
    before: 'value !== undefined && values.includes(value)',
    after: 'values.includes(value)',
    reason: 'No list of values holds undefined.',
  },
  {
    file: 'src/policy/label-selector.ts',
    kind: 'condition dropped',
    before: 'value === undefined || !values.includes(value)',
    after: '!values.includes(value)',
    reason: 'No list of values holds undefined.',
  },
  {
    file: 'src/policy/severity.ts',
    kind: 'constant moved',
    before: "'high'",
    after: "''",
    reason: 'What is not in the list ranks as high.',
  },
  {
    file: 'src/policy/severity.ts',
    kind: 'fallback dropped',
    before: "severity?.toLowerCase() ?? ''",
    after: 'severity?.toLowerCase()',
    reason: 'Neither undefined nor the empty text is in the list.',
  },
  {
    file: 'src/policy/shape.ts',
    kind: 'condition dropped',
    before: "typeof json === 'string' && words.includes(json)",
    after: 'words.includes(json)',
    reason: 'The list holds texts only.',
  },
  {
    file: 'src/policy/decode-resources.ts',
    kind: 'condition dropped',
    before: 'problems.length > 0 || !isMembers(json)',
    after: 'problems.length > 0',
    reason: 'The shape has refused what has no members; the rest is for the compiler.',
  },
  {
    file: 'src/policy/wants.ts',
    kind: 'condition dropped',
    before: 'denial && { denial }',
    after: '{ denial }',
    reason: 'A member that is undefined reads as one that is absent.',
  },
  {
    file: 'src/policy/wants.ts',
    kind: 'fallback dropped',
    before: 'dismissalEndMs(dismissal) ?? 0',
    after: 'dismissalEndMs(dismissal)',
    reason: 'Without an end nothing is too far ahead, whatever stands for it.',
  },
  {
    file: 'src/policy/wants.ts',
    kind: 'constant moved',
    before: '0',
    after: '1',
    reason: 'Without an end nothing is too far ahead, whatever stands for it.',
  },
  {
    file: 'src/plan/claims.ts',
    kind: 'fallback dropped',
    before: "first ?? ''",
    after: 'first',
    reason: 'The list has two members.',
  },
  {
    file: 'src/plan/claims.ts',
    kind: 'fallback dropped',
    before: "second ?? ''",
    after: 'second',
    reason: 'The list has two members.',
  },
  {
    file: 'src/plan/claims.ts',
    kind: 'comparison turned',
    before: "(first ?? '') < (second ?? '')",
    after: "(first ?? '') <= (second ?? '')",
    reason: 'No two policies have the same key.',
  },
  {
    file: 'src/plan/claims.ts',
    kind: 'condition dropped',
    before: 'sideRank(a.want) - sideRank(b.want) || byPrecedence(a, b)',
    after: 'sideRank(a.want) - sideRank(b.want)',
    reason: 'The sort is stable, and what it sorts is in the order of precedence already.',
  },
  {
    file: 'src/plan/alert-status.ts',
    kind: 'condition dropped',
    before: 'decisions.length <= limit',
    after: 'false',
    reason: 'All rows that fit are kept in their order.',
  },
  {
    file: 'src/plan/alert-status.ts',
    kind: 'comparison turned',
    before: 'decisions.length <= limit',
    after: 'decisions.length < limit',
    reason: 'All rows that fit are kept in their order.',
  },
  {
    file: 'src/plan/alert-status.ts',
    kind: 'fallback dropped',
    before: 'ranks.get(a) ?? 0',
    after: 'ranks.get(a)',
    reason: 'Every decision has a rank.',
  },
  {
    file: 'src/plan/alert-status.ts',
    kind: 'fallback dropped',
    before: 'ranks.get(b) ?? 0',
    after: 'ranks.get(b)',
    reason: 'Every decision has a rank.',
  },
  {
    file: 'src/plan/next-change.ts',
    kind: 'fallback dropped',
    before: 'input.nextDeactivationMs ?? []',
    after: 'input.nextDeactivationMs',
    reason: 'An undefined moment is not after now.',
  },
  {
    file: 'src/plan/next-change.ts',
    kind: 'fallback dropped',
    before: 'dampedUntilMs(policy, alert?.name ?? name, input.damping, input.nowMs) ?? []',
    after: 'dampedUntilMs(policy, alert?.name ?? name, input.damping, input.nowMs)',
    reason: 'An undefined moment is not after now.',
  },
  {
    file: 'src/plan/next-change.ts',
    kind: 'fallback dropped',
    before: 'alert?.name ?? name',
    after: 'alert?.name',
    reason: 'Both spell one alert, and names are compared without case.',
  },
  {
    file: 'src/plan/next-change.ts',
    kind: 'fallback dropped',
    before: 'alert?.name ?? name',
    after: 'name',
    reason: 'Both spell one alert, and names are compared without case.',
  },
  {
    file: 'src/plan/plan.ts',
    kind: 'fallback dropped',
    before: 'decisions.get(policy) ?? []',
    after: 'decisions.get(policy)',
    reason: 'Every policy has decisions.',
  },
];
