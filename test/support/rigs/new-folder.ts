// A folder that goes with the running test.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}
