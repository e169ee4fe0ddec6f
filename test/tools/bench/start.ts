// How long the command line takes to start, next to Node alone, by turns.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import type { Setup } from './setup.ts';
import { median } from './statistics.ts';
import { type Findings, renderRows, type Row } from './table.ts';

const goal = '< 150 ms';

/** `runs` of each invocation of each side. */
export async function measureStart({ sides }: Pick<Setup, 'sides'>, runs: number): Promise<Findings> {
  const invocations = sides.flatMap(({ name, operatorFile }) => [
    { name: `${name}: --help`, args: [operatorFile, '--help'] },
    {
      name: `${name}: validate of one file`,
      args: [operatorFile, 'validate', '-f', 'deploy/samples/policy-enforce.yaml'],
    },
  ]);
  const baseline: number[] = [];
  const measured = invocations.map((invocation) => ({ ...invocation, times: [] as number[] }));
  for (let run = 0; run < runs; run += 1) {
    baseline.push(await millisecondsOf(['-e', '0']));
    for (const { args, times } of measured) times.push(await millisecondsOf(args));
  }
  const empty = median(baseline);
  const rows = measured.map(({ name, times }): Row => {
    const milliseconds = median(times);
    const ratio = milliseconds / empty;
    return { name, value: `${milliseconds.toFixed(0)} ms`, baseline: `${empty.toFixed(0)} ms`, ratio, goal };
  });
  return {
    text: renderRows(`start, the median of ${runs} runs; the baseline is node -e 0`, rows, 'rolealerts'),
    wrong: [],
  };
}

async function millisecondsOf(args: readonly string[]): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return performance.now() - startedMs;
}
