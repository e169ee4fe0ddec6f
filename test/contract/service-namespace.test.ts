// A store belongs to the provider namespace of its alerts: another one would mix both in paths, ids and types.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { seed } from '../support/servers/alerts-service-cases.ts';
import { startOverSocket } from '../support/servers/alerts-service.ts';

let folder = '';
let dataFile = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-namespace-'));
  dataFile = join(folder, 'state.db');
});
afterEach(() => rm(folder, { recursive: true }));

/** Starts and stops a service on the data file. */
async function run(providerNamespace: string, withSeed?: object): Promise<void> {
  const service = await startOverSocket({ dataFile, providerNamespace, ...(withSeed && { seed: withSeed }) });
  await service.stop();
}

test('another namespace over alerts is refused, with both names and the fix', async () => {
  await run('Contoso.Authorization', seed);
  const message =
    'The store has alerts of the provider namespace Contoso.Authorization, but --provider-namespace is Vendor.Authorization. ' +
    'Use --provider-namespace Contoso.Authorization, or another store.';
  await expect(run('Vendor.Authorization', seed)).rejects.toMatchObject({ code: 'usage', message });
  await run('Contoso.Authorization');
});

test('an empty store takes the namespace of each start', async () => {
  await run('Contoso.Authorization');
  await run('Vendor.Authorization', seed);
  await expect(run('Contoso.Authorization')).rejects.toThrow(
    /has alerts of the provider namespace Vendor\.Authorization/,
  );
});
