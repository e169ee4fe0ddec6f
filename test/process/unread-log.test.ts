// The log of a process goes to a pipe that no program reads: the process serves, keeps a bounded number of lines, and ends when it is
// asked to.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

import { Pool } from 'undici';
import { expect, onTestFinished, test } from 'vitest';

import { programFile } from '../support/rigs/program.ts';

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly metricsURL: string;
}

/** Takes the first lines of the log, which name the addresses, and none after them. */
async function startUnread(): Promise<Started> {
  const args = [
    'serve',
    '--static-token=token-of-this-test',
    '--metrics-bind-address=127.0.0.1:0',
    '--log-format=json',
  ];
  const child = spawn(process.execPath, [programFile, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let metricsURL: string | undefined;
  let log = '';
  for (; metricsURL === undefined; metricsURL = /"metricsURL":"([^"]+)"/.exec(log)?.[1]) {
    const [piece] = (await once(child.stderr, 'data')) as [Buffer];
    log += piece.toString();
  }
  child.stderr.pause();
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: line.toString().trim(), metricsURL };
}

/** Each request logs one line. */
async function request(url: string, times: number): Promise<void> {
  const pool = new Pool(url, { connections: 8, pipelining: 8 });
  await Promise.all(
    Array.from({ length: times }, async () => {
      const { body } = await pool.request({ method: 'GET', path: '/' });
      await body.dump();
    }),
  );
  await pool.destroy();
}

async function droppedLines(metricsURL: string): Promise<number> {
  const text = await (await fetch(`${metricsURL}/metrics`)).text();
  return Number(/^process_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
}

/** Lines that the log says are missing. */
const missingLines = (log: string): number =>
  [...log.matchAll(/"lines":(\d+),"msg":"log lines dropped/g)].reduce((sum, [, lines]) => sum + Number(lines), 0);

test('a log that no program reads is bounded, says how many lines are missing once it is read again, and delays no end', async () => {
  const { child, url, metricsURL } = await startUnread();
  const fill = async (dropped: number) => {
    while (!((await droppedLines(metricsURL)) > dropped)) await request(url, 2000);
  };
  await fill(0);
  let log = '';
  child.stderr?.on('data', (piece: Buffer) => (log += piece.toString()));
  child.stderr?.resume();
  // Lines of the last requests wait in a batch, so the count may still grow.
  await expect.poll(async () => missingLines(log) - (await droppedLines(metricsURL))).toBe(0);
  expect(missingLines(log)).toBeGreaterThan(0);
  await request(url, 1);
  await expect.poll(() => log.trimEnd().split('\n').at(-1)).toContain('"request answered"');

  child.stderr?.pause();
  await fill(await droppedLines(metricsURL));
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
