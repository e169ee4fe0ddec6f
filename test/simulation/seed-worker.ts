// A thread that runs the seeds it receives. An unhandled rejection is a violation of that seed.
import { parentPort } from 'node:worker_threads';

import { readResources } from './kube/resources.ts';
import type { Violation } from './oracles/oracle.ts';
import { type Mode, runSeed } from './run-seed.ts';

const resources = await readResources();
let unhandled: Violation[] = [];
process.on('unhandledRejection', (error) => {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  unhandled.push({ oracle: 'no unhandled rejection', atMs: 0, what });
});

parentPort?.on('message', ({ seed, mode }: { seed: number; mode: Mode }) => {
  void (async () => {
    unhandled = [];
    const { tail: _, ...result } = await runSeed({ seed, mode, resources });
    parentPort?.postMessage({ ...result, violations: [...result.violations, ...unhandled] }, []);
  })().catch((error: unknown) => {
    // The simulation itself failed: nothing is known of this seed, so the whole run ends.
    process.nextTick(() => {
      throw error;
    });
  });
});
parentPort?.postMessage('ready', []);
