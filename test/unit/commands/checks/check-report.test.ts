// What `doctor` prints.
import { expect, test } from 'vitest';

import { type CheckResult, checkSummary, checkText } from '../../../../src/commands/checks/check.ts';

const results: readonly CheckResult[] = [
  { subject: 'cluster', check: 'api-server', state: 'Passed', message: 'Kubernetes v1.36.3 answers.' },
  {
    subject: 'connection payments/prod',
    check: 'http-service',
    state: 'Failed',
    message: 'Not trusted.',
    fix: 'Add it.',
  },
  { subject: 'cluster', check: 'crds', state: 'NotChecked', message: 'You may not read them.' },
];

test('the text is grouped by object, with the fix below its failure', () => {
  expect(checkText(results)).toBe(`cluster
  ok           api-server              Kubernetes v1.36.3 answers.
  not checked  crds                    You may not read them.

connection payments/prod
  FAILED       http-service            Not trusted.
                                       Add it.
`);
});

test('the text has no control characters of others', () => {
  const message = 'The operator reports Odd: \u001b[31mred\u0007';
  expect(checkText([{ ...results[0]!, message }])).toContain('The operator reports Odd: red\n');
});

test('the summary counts states', () => {
  expect(checkSummary(results)).toBe('1 passed, 1 failed, 1 not checked');
  expect(checkSummary([])).toBe('0 passed');
  expect(checkSummary([{ ...results[0]!, state: 'Warning' }])).toBe('0 passed, 1 warning');
});
