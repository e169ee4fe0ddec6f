// `rolealerts replay` over a directory.
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { runProgram } from '../../../src/commands/program.ts';
import { silentLogger } from '../../../src/lib/log.ts';
import { plan } from '../../../src/operator/decide/plan.ts';
import { FileRecorder } from '../../../src/operator/recording/file-recorder.ts';
import { alert, input, planInput } from '../../support/builders/objects.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';
import { recordingHost } from '../../support/rigs/recording-host.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rolealerts-replay-'));
  const options = { fileBytes: 1e6, files: 2, program: '0.0.9', clock: new ManualClock(), log: silentLogger };
  const recorder = new FileRecorder({ ...options, directory, observe: () => undefined });
  const given = planInput({ policies: [input()], alerts: [alert({ isActive: false })] });
  recorder.record({ connection: 'team/prod', scope: 'subscriptions/a', input: given, plan: plan(given) });
  await recorder.stop();
});
afterAll(() => rm(directory, { recursive: true }));

async function replay(...args: readonly string[]) {
  const { host, written } = recordingHost();
  return { code: await runProgram(['replay', ...args], host), ...written };
}

/** A directory with the recording after a change of its text. */
async function changed(change: (text: string) => string): Promise<string> {
  const copy = await mkdtemp(join(directory, 'changed-'));
  const name = (await readdir(directory)).find((each) => each.endsWith('.jsonl')) ?? '';
  await writeFile(join(copy, name), change(await readFile(join(directory, name), 'utf8')));
  return copy;
}

const none = /^rolealerts: The files of .* have no whole record: let the controller record for longer\.\n$/;

test.each<[number, string, (text: string) => string, RegExp]>([
  [
    1,
    'a record is of another version',
    (text) => text.replace('"version":1', '"version":7'),
    /jsonl:1: it has version 7/,
  ],
  [1, 'nothing was replayed', (text) => text.slice(0, 100), none],
])('ends with %i when %s, and says so', async (expected, _, change, said) => {
  const { code, out, err } = await replay(await changed(change));
  expect([code, out + err]).toEqual([expected, expect.stringMatching(said)]);
});

test('goes on after a record that this version cannot plan', async () => {
  const { code, out } = await replay(
    await changed((text) => text.replace(/"nowMs":\d+/, '"nowMs":1e300') + text),
    '-o',
    'json',
  );
  const { totals, unreadable } = JSON.parse(out);
  expect([code, totals]).toEqual([1, expect.objectContaining({ plans: 1, differences: 0, unreadableRecords: 1 })]);
  expect(unreadable).toEqual([expect.stringMatching(/jsonl:1: this version cannot plan it \(.+\)$/)]);
});

test.skipIf(!existsSync('/dev/zero'))('refuses a file without an end', async () => {
  const copy = await mkdtemp(join(directory, 'endless-'));
  const file = join(copy, 'plans-20260101T000000Z-000001.jsonl');
  await symlink('/dev/zero', file);
  expect(await replay(copy)).toEqual({
    code: 1,
    out: '',
    err: `rolealerts: ${file} is not a regular file: remove it.\n`,
  });
});
