// When the service finds out which responses have reached their clients.
import { expect, test } from 'vitest';

import { releaseDelivered } from '../../../../src/service/http/delivered-responses.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

function rig(readDelivered: () => ReadonlySet<string> | undefined) {
  const clock = new ManualClock();
  const released: [readonly string[], number][] = [];
  const unread = {
    isCrowded: true,
    releaseDelivered: (queues: ReadonlySet<string>, untilMs: number) => void released.push([[...queues], untilMs]),
  };
  const onTaken = releaseDelivered({ unread, readDelivered: () => Promise.resolve(readDelivered()), clock });
  return { clock, released, unread, onTaken };
}

test('while much is unread there are lookups, and then no longer', async () => {
  const { clock, released, unread, onTaken } = rig(() => new Set(['a']));
  onTaken();
  onTaken();
  await clock.advance(500);
  expect(released).toEqual([
    [['a'], 250],
    [['a'], 500],
  ]);
  unread.isCrowded = false;
  await clock.advance(1000);
  expect(released).toHaveLength(3);
  onTaken();
  await clock.advance(1000);
  expect(released).toHaveLength(3);
});

test('where the system does not say it, a lookup needs a further response', async () => {
  let lookups = 0;
  const { clock, released, onTaken } = rig(() => void (lookups += 1));
  onTaken();
  await clock.advance(1000);
  onTaken();
  await clock.advance(1000);
  expect([lookups, released]).toEqual([2, []]);
});
