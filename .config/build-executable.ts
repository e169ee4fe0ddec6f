// `npm run build:executable` makes dist/executable/rolealerts: one file with Node inside, for the platform it runs on. As
// kubectl-rolealerts on the PATH it is a plugin of kubectl.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { rolldown } from 'rolldown';

import bundle, { outputTo } from './rolldown.ts';

/** Resolves with the file. Replaces what is there. */
export async function buildExecutable(directory: string): Promise<string> {
  const temporary = await mkdtemp(join(tmpdir(), 'rolealerts-executable-'));
  try {
    const build = await rolldown(bundle);
    // Node takes one module.
    await build.write({ ...outputTo(temporary), codeSplitting: false });
    await build.close();
    await mkdir(directory, { recursive: true });
    const output = join(resolve(directory), process.platform === 'win32' ? 'rolealerts.exe' : 'rolealerts');
    const config = join(temporary, 'executable.json');
    await writeFile(config, JSON.stringify(configOf(join(temporary, 'rolealerts.mjs'), output)));
    await promisify(execFile)(process.execPath, ['--build-sea', config]);
    return output;
  } finally {
    await rm(temporary, { recursive: true });
  }
}

/** The code cache halves the time to the first line. NODE_OPTIONS counts as in every program of Node. */
function configOf(main: string, output: string): object {
  return {
    main,
    mainFormat: 'module',
    output,
    executable: process.execPath,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
  };
}

if (import.meta.main) {
  const file = await buildExecutable('dist/executable');
  const plugin = join('dist/executable', 'kubectl-rolealerts');
  await rm(plugin, { force: true });
  await symlink('rolealerts', plugin);
  console.log(`wrote ${file}, and the link ${plugin}`);
}
