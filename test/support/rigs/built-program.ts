// The bundle, as a test starts it: it starts several times as fast as the sources.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { rolldown } from 'rolldown';

import bundle, { outputTo } from '../../../.config/rolldown.ts';

export interface BuiltProgram {
  /** Its entry point. */
  readonly program: string;
  remove(): Promise<void>;
}

export async function buildProgram(): Promise<BuiltProgram> {
  const directory = await mkdtemp(join(tmpdir(), 'rolealerts-bundle-'));
  const build = await rolldown(bundle);
  await build.write(outputTo(directory));
  await build.close();
  return { program: join(directory, 'rolealerts.mjs'), remove: () => rm(directory, { recursive: true }) };
}
