// The first start with a seed of 40 MB, within the memory of the service's own deployment.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { readDeployment } from '../support/rigs/deployment.ts';
import { programFile } from '../support/rigs/program.ts';

const scopes = 120_000;
const alertsOfScope = 4;

/** Small alerts: the more of them, the more a start needs for each byte. */
function seedText(): string {
  const value = Array.from({ length: alertsOfScope }, (_, index) => ({
    name: `Alert${index}`,
    properties: { isActive: index % 2 === 0, incidentCount: index },
  }));
  const list = JSON.stringify({ value });
  const names = Array.from({ length: scopes }, (_, index) => `subscriptions/${String(index).padStart(36, '0')}`);
  return `{"scopes":{${names.map((name) => `"${name}":${list}`).join(',')}}}`;
}

test('a seed of 40 MB is loaded within the limit of memory', async () => {
  const { nodeFlags, limitBytes } = await readDeployment();
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-seed-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const seedFile = join(folder, 'seed.json');
  const text = seedText();
  expect(text.length).toBeGreaterThan(39_000_000);
  await writeFile(seedFile, text);
  const options = ['--print=url', '--static-token=0123456789abcdef', `--seed=${seedFile}`];
  const args = [...nodeFlags, programFile, 'serve', ...options, `--data=${join(folder, 'state.db')}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [url] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as unknown[];
  expect(String(url)).toMatch(/^http:/);
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const peakBytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  console.log(`peak: ${Math.round(peakBytes / 1024 / 1024)} MiB for ${text.length} bytes`);
  expect(peakBytes).toBeLessThan(limitBytes);
});
