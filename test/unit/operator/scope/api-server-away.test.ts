// While the API server refuses statuses: the service is still reconciled, but not the more often for it, and an event reports it.
import { expect, it, test } from 'vitest';

import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { alert, connection, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';

it.each([
  ['kube-denied', 200, 'the permission is missing. Check the role of the operator.'],
  ['kube-invalid', 22, "it does not fit the schema or is too large. Apply the CRDs of the operator's version."],
] as const)(
  'a status refused with %s is an event of its policy once, until it is written',
  async (code, most, cause) => {
    const world = new ControllerWorld();
    const refuse = (kind: string) => {
      if (kind === 'policy') throw new KubeError(code, 'refused');
    };
    world.onStatusWrite = refuse;
    world.live.set(scope, [alert()]);
    world.apply(connection(), policy());
    await world.start(60 * minuteMs);
    const note = `The status is out of date, because the API server refuses to store it: ${cause}`;
    const regarding = { kind: 'RoleAlertPolicy', namespace: 'team', name: 'owners' };
    expect(world.recordedEvents).toMatchObject([{ regarding, type: 'Warning', reason: 'StatusNotWritten', note }]);
    expect(world.warnings.filter((line) => line.startsWith('reconcile not completed')).length).toBeLessThan(10);
    expect(world.count('list')).toBeLessThan(most);
    world.onStatusWrite = () => undefined;
    await world.clock.advance(6 * minuteMs);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
    world.onStatusWrite = refuse;
    world.live.set(scope, [alert({ isActive: false })]);
    await world.clock.advance(60 * minuteMs);
    expect(world.events.filter((event) => event.startsWith('StatusNotWritten'))).toHaveLength(2);
  },
);

test('a status refused after another failure is an event of each policy whose status is refused', async () => {
  const world = new ControllerWorld();
  let [tries, refusedFromMs] = [0, 0];
  world.onStatusWrite = (kind) => {
    if (kind === 'policy' && tries++ === 0) throw new KubeError('kube-unreachable', 'away');
    if (kind === 'policy' && world.clock.monotonic() >= refusedFromMs) throw new KubeError('kube-denied', 'refused');
  };
  world.live.set(scope, [alert()]);
  world.apply(connection(), policy());
  await world.start(10 * minuteMs);
  expect(world.events).toEqual(['StatusNotWritten owners']);
  world.apply(policy({ name: 'later' }));
  await world.clock.advance(10 * minuteMs);
  expect(world.events).toEqual(['StatusNotWritten owners', 'StatusNotWritten later']);
  refusedFromMs = Infinity;
  await world.clock.advance(10 * minuteMs);
  refusedFromMs = 0;
  world.live.set(scope, [alert({ isActive: false })]);
  await world.clock.advance(30 * minuteMs);
  expect(world.events.filter((event) => event === 'StatusNotWritten later')).toHaveLength(2);
});
