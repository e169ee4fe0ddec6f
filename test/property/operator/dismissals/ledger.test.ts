// The promise that nothing stays inactive without a current declaration, for every order of edits, restarts and deletions, beside a
// service that loses responses, applies late and lists what was true some seconds ago.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { LossyWorld, type PatchFate } from '../../../support/rigs/lossy-world.ts';

const hourMs = 3_600_000;

const fates = fc.array(
  fc.record<PatchFate>({
    kind: fc.constantFrom('answered', 'answered', 'answer lost', 'refused', 'never arrived'),
    delayMs: fc.constantFrom(0, 0, 2000, 40_000),
    lagMs: fc.constantFrom(0, 0, 3000, 20_000),
  }),
  { minLength: 1, maxLength: 6 },
);

const names = fc.constantFrom('one', 'two');
const acts = fc.array(
  fc.record({
    act: fc.oneof(
      fc.record({ kind: fc.constantFrom('dismiss', 'dismiss', 'undismiss', 'request'), name: names }),
      fc.record({ kind: fc.constant('grant'), to: fc.constantFrom('Allow', 'Deny') }),
      fc.record({ kind: fc.constant('step'), ms: fc.integer({ min: -hourMs, max: hourMs }) }),
      fc.record({ kind: fc.constantFrom('activate', 'restart', 'delete', 'make') }),
    ),
    waitMs: fc.constantFrom(0, 500, 3000, 20_000, 100_000, 400_000),
  }),
  { maxLength: 20, size: 'max' },
);
type Step = typeof acts extends fc.Arbitrary<(infer S)[]> ? S : never;

/** True when the ledger went with its connection and its process: no operator can know of the alert any more. */
type Forgotten = boolean;

async function play(world: LossyWorld, steps: readonly Step[]): Promise<Forgotten> {
  let isReactivating = false;
  let isForgotten = false;
  for (const [index, { act, waitMs }] of steps.entries()) {
    if (act.kind === 'delete') isReactivating = true;
    if (act.kind === 'restart' && isReactivating) isForgotten = true;
    await perform(world, act, String(index));
    await world.advance(waitMs);
  }
  return isForgotten;
}

async function perform(world: LossyWorld, act: Step['act'], value: string): Promise<void> {
  if ('name' in act) {
    if (act.kind === 'dismiss') world.dismiss(act.name);
    else if (act.kind === 'undismiss') world.undismiss(act.name);
    else world.request(act.name, value);
  } else if ('to' in act) world.grant(act.to);
  else if ('ms' in act) world.stepWall(act.ms);
  else if (act.kind === 'restart') await world.restart();
  else if (act.kind === 'delete') world.removeConnection();
  else if (act.kind === 'make') world.makeConnection();
  else world.activateByOthers(0);
}

test('what the operator deactivated is inactive only while a dismissal declares it, and recorded then', async () => {
  await fc.assert(
    fc.asyncProperty(fates, acts, async (given, steps) => {
      const world = new LossyWorld(given);
      const isForgotten = await play(world, steps);
      world.heal();
      await world.advance(3 * hourMs);
      const { isDismissed, entries } = world;
      const isInactive = world.isOffByUs && !isForgotten;
      expect({ isDismissed, entries }).toSatisfy(
        () => (isDismissed && entries === 1) || (!isInactive && entries === 0),
      );
      expect(await world.stop()).toBe(0);
    }),
    { numRuns: 150 },
  );
});
