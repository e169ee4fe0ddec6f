// The messages of the reasons, on which users' alerts and dashboards rely.
import { expect, it } from 'vitest';

import * as reasons from '../../../src/plan/reasons.ts';

const tables: Record<string, { message: string; advice: string }> = Object.assign(
  {},
  ...Object.values(reasons).filter((value) => typeof value === 'object'),
);

it.each(Object.entries(tables))('%s says what is so, and what to do', (_, { message, advice }) => {
  expect(message).toMatch(/^[A-Z`].*\.$/s);
  expect(advice).toMatch(/^[A-Z`].*\.$/s);
});

it('a reason of a policy and one of a connection have their sentences, with the code of the service where there is one', () => {
  expect(reasons.conditionMessage('InSync')).toBe(tables['InSync']?.message);
  expect(reasons.conditionMessage('Unauthorized')).toBe(tables['Unauthorized']?.message);
  expect(reasons.conditionMessage('InSync', 'Nope')).toBe(`${tables['InSync']?.message} The service's code: Nope.`);
});
