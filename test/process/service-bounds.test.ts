// The alerts service within the memory of its own deployment while clients read nothing, and another client is served. The nightly file has
// the other loads.
import { test } from 'vitest';

import { sleep, systemClock } from '../../src/lib/clock.ts';
import {
  expectServed,
  expectUnharmed,
  flood,
  startBounded,
  tokenOf,
  unreadClients,
} from '../support/rigs/bounded-service.ts';

test('clients that read nothing cost less than the limit, with the buffers of the kernel, and another client is served', async () => {
  const service = await startBounded();
  flood(await unreadClients(service, 40));
  await sleep(systemClock, 2000);
  await expectServed(service, await tokenOf(service), 'clients that read nothing');
  await expectUnharmed(service);
});
