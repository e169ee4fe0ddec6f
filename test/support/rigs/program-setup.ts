// Bundles the program once for all tests of a run that start it: the bundle starts several times as fast as the sources. It is in a folder of
// its own inside the checkout, so that it finds what it reads there, and so that runs beside each other do not meet.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { build, type OutputChunk } from 'rolldown';
import type { TestProject } from 'vitest/node';

import { bundleIn } from '../../../.config/rolldown.ts';
import { runsTier } from '../gate/tiers.ts';

/** A file of the bundle, for the tests of its content. They are in `chunks.json` beside the entry point. */
export interface BundledChunk {
  readonly fileName: string;
  readonly bytes: number;
  /** Files that are loaded with it, and those that it may load later. */
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
  readonly modules: readonly string[];
}

declare module 'vitest' {
  // Merging with vitest's own interface is the documented way to type `provide` and `inject`.
  export interface ProvidedContext {
    /** The entry point of the bundle. */
    programFile: string;
  }
}

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!runsTier(project, ['cluster', 'process', 'interop'])) return undefined;
  const parent = resolve(project.vitest.config.root, '.rolealerts');
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, 'program-'));
  const remove = () => rm(directory, { recursive: true });
  try {
    const { output } = await build(bundleIn(directory));
    const chunks = output.filter((part) => part.type === 'chunk').map((chunk) => factsOf(chunk));
    await writeFile(join(directory, 'chunks.json'), JSON.stringify(chunks));
  } catch (error) {
    await remove();
    throw error;
  }
  project.provide('programFile', join(directory, 'rolealerts.mjs'));
  return remove;
}

function factsOf({ fileName, code, imports, dynamicImports, moduleIds }: OutputChunk): BundledChunk {
  return { fileName, bytes: code.length, imports, dynamicImports, modules: moduleIds };
}
