// The messages of the reasons, on which users' alerts and dashboards rely.
import { expect, it } from 'vitest';

import { connectionReasons } from '../../../src/plan/connection-reasons.ts';
import { policyReasons } from '../../../src/plan/policy-reasons.ts';
import { conditionMessage, type Reason } from '../../../src/plan/reasons.ts';

const tables: Record<string, { message: string; advice: string }> = { ...policyReasons, ...connectionReasons };

it.each(Object.entries(tables))('%s says what is so, and what to do', (_, { message, advice }) => {
  expect(message).toMatch(/^[A-Z`].*\.$/s);
  expect(advice).toMatch(/^[A-Z`].*\.$/s);
});

it('a reason of a policy and one of a connection have their sentences, with the code of the service where there is one', () => {
  expect(conditionMessage('InSync')).toBe(tables['InSync']?.message);
  expect(conditionMessage('Unauthorized')).toBe(tables['Unauthorized']?.message);
  expect(conditionMessage('InSync', 'Nope')).toBe(`${tables['InSync']?.message} The service's code: Nope.`);
});

it('the reasons about a credential name its Secret and key, and no other reason does', () => {
  const credential = { namespace: 'team', name: 'mine', key: 'token' };
  const naming = Object.keys(tables).filter((reason) =>
    conditionMessage(reason as Reason, undefined, credential).endsWith(' Secret: team/mine, key: token.'),
  );
  expect(naming).toEqual(['SecretNotFound', 'SecretNotAllowed', 'Unauthorized', 'TokenEndpointFailed']);
  expect(conditionMessage('InSync', undefined, credential)).toBe(conditionMessage('InSync'));
});
