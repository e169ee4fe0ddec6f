// Which ends of the dismissals and suspensions of other connections bring a scope back, and how soon.
import { expect, test } from 'vitest';

import type { PlanInput } from '../../../src/plan/plan-input.ts';
import { plan } from '../../../src/plan/plan.ts';
import { alert, at, inactive, input, minuteMs, nowMs, planInput } from '../../support/builders/objects.ts';

const seconds = 1000;
const next = (change: Partial<PlanInput>) => {
  const { nextChangeMs } = plan(planInput(change));
  return nextChangeMs === undefined ? undefined : nextChangeMs - nowMs;
};
const theirs = (standing: 'Proven' | 'Unheard' | 'Refused', endMs: number) => [
  input({ name: 'a', isOwn: false, standing, spec: { alerts: [inactive({ until: at(endMs) })] } }),
  input({ name: 'b', isOwn: false, standing, spec: { suspend: true, suspendUntil: at(endMs) } }),
];

test('those of a proven connection count, at most every five seconds', () => {
  expect(next({ policies: theirs('Proven', minuteMs) })).toBe(minuteMs);
  expect(next({ policies: theirs('Proven', 2 * seconds) })).toBe(5 * seconds);
  expect(next({ policies: theirs('Proven', -seconds) })).toBeUndefined();
});

test('those of a connection that was refused or not heard never count', () => {
  expect(next({ policies: theirs('Refused', minuteMs) })).toBeUndefined();
  expect(next({ policies: theirs('Unheard', minuteMs) })).toBeUndefined();
});

test('those of a connection that was not heard count while its claims hold a deactivation', () => {
  const own = input({ name: 'own', spec: { alerts: [inactive({ incidents: ['a'] })] } });
  const guard = input({
    name: 'guard',
    isOwn: false,
    standing: 'Unheard',
    spec: { unlisted: { state: 'Active', minSeverity: 'Low' } },
  });
  const policies = [own, guard, ...theirs('Unheard', minuteMs)];
  expect(next({ policies, alerts: [alert()] })).toBe(minuteMs);
});

test('any number of ends is read', () => {
  const alerts = Array.from({ length: 64 }, (_, index) => ({
    ...inactive({ until: at(minuteMs) }),
    name: `A${index}`,
  }));
  const policies = Array.from({ length: 4000 }, (_, index) =>
    input({ name: `p${index}`, isOwn: false, spec: { alerts } }),
  );
  expect(next({ policies, alerts: [] })).toBe(minuteMs);
});
