// `npm run simulate:bugs`: makes each deliberate bug in a copy of the project, runs seeds there until one fails, and says which oracle
// caught it. Ends with 1 when one of them was not found.
//   --seeds N   how many seeds a bug may take (default 600)      --only TEXT   those whose name holds it
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { deliberateBugs, type Edit } from './bugs.ts';

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '600' }, only: { type: 'string', default: '' } },
});
const root = new URL('../..', import.meta.url).pathname;

/** A copy of what a run needs; the packages are shared. */
async function copyProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-bugs-'));
  for (const part of ['src', 'test', 'crds', 'package.json', 'tsconfig.json']) {
    await cp(join(root, part), join(folder, part), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Resolves with what undoes it. */
async function makeEdit(folder: string, { file, find, replace }: Edit): Promise<() => Promise<void>> {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  if (text.split(find).length !== 2) throw new Error(`"${find}" is gone from ${file}; mend test/simulation/bugs.ts`);
  await writeFile(
    path,
    text.replace(find, () => replace),
  );
  return () => writeFile(path, text);
}

/** What the runner printed. */
function runSeeds(folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = ['test/simulation/main.ts', '--seeds', values.seeds, '--until-failure'];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}

const folder = await copyProject();
let missed = 0;
for (const bug of deliberateBugs.filter(({ name }) => name.includes(values.only))) {
  const undo = [await makeEdit(folder, bug)];
  if (bug.behind) undo.push(await makeEdit(folder, bug.behind));
  const output = await runSeeds(folder);
  for (const restore of undo) await restore();
  const [, seed] = /^seed (\d+) failed/m.exec(output) ?? [];
  const [, oracle] = /^seed \d+ failed.*\n  (.*) \(at/m.exec(output) ?? [];
  if (seed === undefined) missed++;
  console.log(`${bug.name}: ${seed === undefined ? 'NOT FOUND' : `"${oracle}" found it with seed ${seed}`}`);
}
await rm(folder, { recursive: true });
console.log(missed === 0 ? 'every bug was found' : `${missed} bugs were not found`);
process.exitCode = missed === 0 ? 0 : 1;
