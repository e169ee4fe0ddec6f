// The contract of the store, in each database.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { openDatabase } from '../../src/service/database/open-database.ts';
import { describeStore } from '../support/checks/store-contract.ts';

describeStore('SQLite', async () => {
  const folder = await newFolder();
  return {
    open: async () => openDatabase(join(folder, 'state.db')),
    remove: () => rm(folder, { recursive: true }),
  };
});
