// The contract of the store, in each database.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openDatabase } from '../../src/service/database/open-database.ts';
import { describeStore } from '../support/checks/store-contract.ts';

describeStore('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-store-'));
  return {
    open: async () => openDatabase(join(folder, 'state.db')),
    remove: () => rm(folder, { recursive: true }),
  };
});
