// What `trace REASON` prints for each reason.
import { describe, expect, test } from 'vitest';

import { conditionsText, findReason, reasonText } from '../../../../src/commands/checks/explain.ts';
import { allReasons } from '../../../../src/operator/reasons/reasons.ts';

describe.each(allReasons)('%s', (reason) => {
  const text = reasonText(reason);

  test('is explained in sentences, without placeholders, links and missing words', () => {
    const [name, ...paragraphs] = text.trimEnd().split('\n');
    expect(name).toBe(reason);
    expect(paragraphs.length).toBeGreaterThan(0);
    for (const paragraph of paragraphs) expect(paragraph).toMatch(/^ {2}\S.*[.:`]$/);
    expect(text).not.toMatch(/\{\w+\}|undefined|\]\(|\S {2}|more or more/);
  });
});

test('a reason is found whatever its case', () => {
  expect(findReason('budgettoosmall')).toBe('BudgetTooSmall');
  expect(findReason('BudgetTooSmal')).toBeUndefined();
});

test('a condition is shown with its message and with what only the reference adds', () => {
  const condition = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'Pending',
    message: 'Waiting for the operator.',
    lastTransitionTime: '1970-01-01T00:00:00Z',
  } as const;
  expect(conditionsText('policy a/b', [condition])).toBe(
    `policy a/b

Ready: Unknown, Pending
  Waiting for the operator.
  Nothing for the first minutes: the first lists wait for the rate limiter. If it remains, check that the operator runs and watches the namespace. A connection without policies stays Pending.
`,
  );
});

test('no control character of a condition reaches a terminal', () => {
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Forged\u001b[31m',
    message: 'a\u001b[2J\nInSync: True',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  } as const;
  expect(conditionsText('policy a/b', [condition])).toBe(
    'policy a/b\n\nReady: True, Forged, since 2026-01-01T00:00:00Z\n  a InSync: True\n',
  );
});
