// The sides of a comparison: this checkout, and each other one with its own bundle, CRDs and flags of Node.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

import { runCommand } from '../../../src/local/run-command.ts';

export interface Side {
  /** The column's title. */
  readonly name: string;
  /** A valid part of a namespace's name. */
  readonly key: string;
  readonly operatorFile: string;
  /** A folder for `kubectl apply --kustomize`. */
  readonly crds: string;
  /** What the image sets. */
  readonly nodeFlags: readonly string[];
}

export interface Sides {
  /** This checkout is the first. */
  readonly all: readonly [Side, ...Side[]];
  stop(): Promise<void>;
}

const here = process.cwd();

/** `against`: directories of checkouts with their dependencies, or commits, which get the dependencies of this checkout. */
export async function openSides(directory: string, against: readonly string[]): Promise<Sides> {
  const checkouts: Awaited<ReturnType<typeof openCheckout>>[] = [];
  const stop = async () => {
    for (const checkout of checkouts) await checkout.stop();
  };
  try {
    for (const place of against) checkouts.push(await openCheckout(place));
    const [first, ...others] = [{ name: 'this', directory: here }, ...checkouts];
    const read = (checkout: Checkout, index: number) => readSide(checkout, `side-${index}`, directory);
    return { all: [await read(first, 0), ...(await Promise.all(others.map((one, i) => read(one, i + 1))))], stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Checkout {
  readonly name: string;
  readonly directory: string;
}

async function openCheckout(place: string): Promise<Checkout & { stop(): Promise<void> }> {
  const isDirectory = existsSync(join(place, 'package.json'));
  if (isDirectory) return { name: basename(resolve(place)), directory: resolve(place), stop: () => Promise.resolve() };
  const directory = await mkdtemp(join(tmpdir(), 'rolealerts-bench-side-'));
  const archive = join(directory, 'checkout.tar');
  const stop = () => rm(directory, { recursive: true, force: true });
  try {
    // Not a worktree, which an interrupted run would leave in the repository.
    await run('git', ['archive', `--output=${archive}`, place], here);
    await run('tar', ['--extract', `--file=${archive}`], directory);
    await symlink(join(here, 'node_modules'), join(directory, 'node_modules'));
    return { name: place.slice(0, 12), directory, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function readSide({ name, directory }: Checkout, key: string, out: string): Promise<Side> {
  const operatorFile = await writeOperator(directory, join(out, key));
  return { name, key, operatorFile, crds: join(directory, 'crds'), nodeFlags: await readNodeFlags(directory) };
}

/** As `npm run build` of that checkout does it, in a process whose working directory is the checkout, because the paths are relative. */
async function writeOperator(directory: string, out: string): Promise<string> {
  const script = `
    import bundle, { outputTo } from './.config/rolldown.ts';
    import { rolldown } from 'rolldown';
    const build = await rolldown(bundle);
    await build.write(outputTo(${JSON.stringify(out)}, 'rolealerts'));
    await build.close();`;
  await run(process.execPath, ['--input-type=module', '--eval', script], directory);
  return join(out, 'rolealerts.mjs');
}

/** What the image's entry point has between `node` and the file. */
async function readNodeFlags(directory: string): Promise<string[]> {
  const dockerfile = await readFile(join(directory, 'deploy/Dockerfile'), 'utf8');
  const [, entryPoint = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile) ?? [];
  return (JSON.parse(entryPoint) as string[]).slice(1, -1);
}

async function run(file: string, args: readonly string[], directory: string): Promise<void> {
  const result = await runCommand(file, args, { environment: process.env, directory, deadlineMs: 60_000 });
  if (result.exitCode !== 0) throw new Error(`${file} failed in ${directory}: ${result.stderr}`);
}
