// A seed is deterministic to the last byte.
import { afterEach, expect, it, vi } from 'vitest';

import { readResources } from './kube/resources.ts';
import { type Mode, runSeed } from './run-seed.ts';

const resources = await readResources();
const seeds: readonly (readonly [number, Mode])[] = [
  [5, 'liveness'],
  [4, 'safety'],
  [1769, 'directed'],
];

afterEach(() => {
  vi.unstubAllGlobals();
});

async function traces(): Promise<readonly string[]> {
  const hashes = [];
  for (const [seed, mode] of seeds) hashes.push((await runSeed({ seed, mode, resources })).traceHash);
  return hashes;
}

it('goes the same way through faults, however many turns of the event loop each moment is given', async () => {
  const first = await traces();
  const turn = setImmediate;
  vi.stubGlobal('setImmediate', (run: () => void) => turn(() => turn(() => turn(run))));
  expect(await traces()).toEqual(first);
  expect(new Set(first).size).toBe(seeds.length);
});
