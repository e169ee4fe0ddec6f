// Runs the worlds in processes of their own and compares what they counted.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { Kind } from './elsewhere.ts';
import { type Grown, grownBlocks } from './executed-blocks.ts';
import type { Work } from './worker.ts';

/** Optimized code does not count, and V8 forgets the counters of code that it has not run for long. */
const countEverything = ['--no-opt', '--no-maglev', '--no-flush-bytecode'];

export async function measure(kind: Kind, size: number): Promise<readonly Work[]> {
  const worker = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), [kind, String(size)], {
    serialization: 'advanced',
    execArgv: countEverything,
  });
  const ended = once(worker, 'exit');
  const works = once(worker, 'message').then(([message]) => message as readonly Work[]);
  const code = ended.then(([status]) => status as number);
  const result = await Promise.race([works, code]);
  if (typeof result === 'number') throw new Error(`The process of ${kind} ${size} ended with ${result}.`);
  await ended;
  return result;
}

/** Where the larger world made the operator work at least `least` times more often. */
export function grownBetween(few: Work, many: Work, least: number): Grown[] {
  const walked = [...many.walked].map(([where, count]) => ({
    where: `${where} (a built-in loop)`,
    few: few.walked.get(where) ?? 0,
    many: count,
  }));
  return [
    ...grownBlocks(few.executed, many.executed, least),
    ...walked.filter((each) => each.many - each.few >= least),
  ];
}
