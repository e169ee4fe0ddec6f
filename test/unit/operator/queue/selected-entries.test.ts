// The entries that select a namespace are found once, and again after a change of the labels or the entries.
import { describe, expect, it } from 'vitest';

import { rememberSelections } from '../../../../src/operator/queue/policy-index.ts';
import { accessEntry, namespace } from '../../../support/builders/objects.ts';

const entries = [
  accessEntry({ scopes: ['subscriptions/a'] }),
  accessEntry({ scopes: ['subscriptions/b'], namespaceSelector: { matchLabels: { stage: 'prod' } } }),
];

describe('the entries that select a namespace', () => {
  const scopesOf = (select: ReturnType<typeof rememberSelections>, ...of: Parameters<typeof select>) =>
    select(...of).flatMap(({ prefixes }) => prefixes);

  it('are found once for the same entries and the same namespace', () => {
    const select = rememberSelections();
    const known = namespace();
    expect(select(entries, known)).toBe(select(entries, known));
  });

  it('are found again for a namespace that got another label', () => {
    const select = rememberSelections();
    expect(scopesOf(select, entries, namespace())).toEqual(['subscriptions/a']);
    const labels = { team: 'a', stage: 'prod' };
    expect(scopesOf(select, entries, namespace(labels))).toEqual(['subscriptions/a', 'subscriptions/b']);
  });

  it('are found again among changed entries', () => {
    const select = rememberSelections();
    const known = namespace();
    expect(scopesOf(select, entries, known)).toEqual(['subscriptions/a']);
    expect(scopesOf(select, [accessEntry({ scopes: ['Subscriptions/C/'] })], known)).toEqual(['subscriptions/c']);
    expect(scopesOf(select, [], known)).toEqual([]);
  });
});
