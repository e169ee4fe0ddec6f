// The contract of the store, in SQLite.
import { join } from 'node:path';

import { openDatabase } from '../../src/service/database/open-database.ts';
import { describeStore } from '../support/checks/store-contract.ts';
import { newFolder } from '../support/rigs/new-folder.ts';

describeStore('SQLite', async () => {
  const folder = await newFolder();
  return async () => openDatabase(join(folder, 'state.db'));
});
