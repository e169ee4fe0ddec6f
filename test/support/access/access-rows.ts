// A selection of the cases of access-case.ts for readers: each row differs from the first in what it names.
import { type AccessCase, type AccessResult, resultOf, scopes } from './access-case.ts';

const plain: AccessCase = {
  namespace: 'Matches',
  scope: 'Below',
  mode: 'Enforce',
  direction: 'Activate',
  maxMode: 'Enforce',
  deactivation: 'Allow',
  unlisted: 'Allow',
  gate: 'Allow',
  others: 'None',
  window: 'Open',
  damping: 'Free',
  claim: 'Alone',
};

const rows: readonly (readonly [string, Partial<AccessCase>])[] = [
  ['the same scope', { scope: 'Equal' }],
  ['a scope below', {}],
  ['a scope in another case', { scope: 'OtherCase' }],
  ['a scope with the same prefix text', { scope: 'Sibling' }],
  ['a scope above', { scope: 'Above' }],
  ['a percent-encoded scope, which only an older schema accepts', { scope: 'Encoded' }],
  ['the labels of the namespace differ', { namespace: 'Differs' }],
  ['the namespace is being deleted', { namespace: 'Unknown' }],
  ['the policy observes', { mode: 'Observe' }],
  ['the entry has `maxMode: Observe`', { maxMode: 'Observe' }],
  ['an alert is dismissed', { direction: 'Deactivate' }],
  ['an alert is dismissed, the entry has `deactivation: Deny`', { direction: 'Deactivate', deactivation: 'Deny' }],
  ['an alert is dismissed, the entry has `maxMode: Observe`', { direction: 'Deactivate', maxMode: 'Observe' }],
  ['an alert is dismissed, the connection has `deactivation: Deny`', { direction: 'Deactivate', gate: 'Deny' }],
  [
    'an alert is dismissed; one entry has `Enforce` and `deactivation: Deny`, another `Observe` and `Allow`',
    { direction: 'Deactivate', deactivation: 'Deny', others: 'Rest' },
  ],
  ['an alert is dismissed outside the correction windows', { direction: 'Deactivate', window: 'Closed' }],
  ['an alert is dismissed as often as damping allows', { direction: 'Deactivate', damping: 'UsedUp' }],
  ['an alert is dismissed that another policy of the connection guards', { direction: 'Deactivate', claim: 'Guarded' }],
  ['unlisted alerts are guarded', { direction: 'Guard' }],
  ['unlisted alerts are guarded, the entry has `unlisted: Deny`', { direction: 'Guard', unlisted: 'Deny' }],
];

const sent = {
  Nothing: (isListed: boolean) => (isListed ? 'lists the scope' : 'sends nothing'),
  Activation: () => 'lists the scope and activates',
  Deactivation: () => 'lists the scope and deactivates',
} as const;

/** The cells of each row: the situation, the scope, what the operator does, and what the policy shows. */
export function accessRows(): string[][] {
  return rows.map(([situation, change]) => {
    const each = { ...plain, ...change };
    const result = resultOf(each);
    return [situation, `\`${scopes[each.scope]}\``, sent[result.sends](result.isListed), shownBy(result)];
  });
}

function shownBy({ sends, reason, isStalled, effectiveMode }: AccessResult): string {
  // After the send, what remains is the ordinary course of a correction.
  if (sends !== 'Nothing') return 'the correction, once it is seen';
  const mode = reason === 'ModeNotGranted' && effectiveMode ? `, \`status.effective.mode: ${effectiveMode}\`` : '';
  return `\`${reason}\`${isStalled ? ', Stalled' : ''}${mode}`;
}
