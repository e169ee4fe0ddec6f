// The files of `--record`: bounded, rotated, and never in the way of a reconcile.
import { type FileHandle, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { plan } from '../../../../src/operator/decide/plan.ts';
import { FileRecorder, type RecorderOptions } from '../../../../src/operator/recording/file-recorder.ts';
import { encodeRecord } from '../../../../src/operator/recording/plan-record.ts';
import { readRecording } from '../../../../src/operator/recording/read-recording.ts';
import type { ScopePlan } from '../../../../src/operator/report/plan-facts.ts';
import { input, planInput } from '../../../support/builders/objects.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const planned = plannedFor('subscriptions/a');
const lineBytes = Buffer.byteLength(encodeRecord(planned, '1.2.3'));

function plannedFor(scope: string): ScopePlan {
  const given = planInput({ policies: [input()] });
  return { connection: 'team/prod', scope, input: given, plan: plan(given) };
}

let directory: string;
let clock: ManualClock;
const results: string[] = [];
const lines: { fields: object; message: string }[] = [];

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'rolealerts-record-')), 'plans');
  clock = new ManualClock();
  results.length = 0;
  lines.length = 0;
});
afterEach(() => rm(join(directory, '..'), { recursive: true }));

function recorder(change: Partial<RecorderOptions> = {}): FileRecorder {
  const add = (fields: object, message: string) => void lines.push({ fields, message });
  const log = { debug: add, info: add, warn: add, error: add, child: () => log };
  const observe = (result: string) => void results.push(result);
  const limits = { fileBytes: lineBytes * 2, files: 3 };
  return new FileRecorder({ directory, program: '1.2.3', clock, log, observe, ...limits, ...change });
}

/** Resolves when everything that was recorded is written or dropped. */
async function recordAll(target: FileRecorder, count: number, each = planned): Promise<void> {
  for (let index = 0; index < count; index++) target.record(each);
  await target.stop();
}

async function readScopes(): Promise<(string | undefined)[]> {
  const scopes: (string | undefined)[] = [];
  for await (const { record } of readRecording(directory)) scopes.push(record?.scope);
  return scopes;
}

describe('a recorder', () => {
  it('writes every plan, in order, for its owner only', async () => {
    const target = recorder();
    for (const scope of ['a', 'b', 'c']) target.record(plannedFor(`subscriptions/${scope}`));
    await target.stop();
    expect(await readScopes()).toEqual(['subscriptions/a', 'subscriptions/b', 'subscriptions/c']);
    expect(results).toEqual(['written', 'written', 'written']);
    const [name = ''] = await readdir(directory);
    expect([(await stat(directory)).mode & 0o777, (await stat(join(directory, name))).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
  });

  it('begins a new file before one is too large, and keeps the newest', async () => {
    await recordAll(recorder(), 20);
    const names = await readdir(directory);
    expect(names.length).toBe(3);
    for (const name of names) expect((await stat(join(directory, name))).size).toBeLessThanOrEqual(lineBytes * 2);
    expect(results.length).toBe(20);
    expect(names.sort().at(-1)).toMatch(/^plans-20260101T000000Z-0000\d\d[.]jsonl$/);
  });

  it('drops what the disk does not take in time, and keeps no more than 8 MiB of it', async () => {
    const target = recorder({ fileBytes: 1e9 });
    const count = Math.ceil((9 * 1024 * 1024) / lineBytes);
    await recordAll(target, count);
    const dropped = results.filter((result) => result === 'dropped').length;
    expect(results.length).toBe(count);
    expect(dropped).toBeGreaterThan(0);
    expect((await readScopes()).length).toBe(count - dropped);
  });
});

describe('a write that fails', () => {
  it('ends the recording, is logged once, and costs nothing from then on', async () => {
    await writeFile(directory, 'a file in the place of the directory');
    const target = recorder();
    await recordAll(target, 2);
    await rm(directory);
    await recordAll(target, 1);
    expect(results).toEqual(Array(3).fill('dropped'));
    expect(lines).toEqual([
      {
        fields: {
          directory,
          error: expect.stringContaining('EEXIST'),
          advice: 'free space in the directory of --record, or make it writable, and restart the controller',
        },
        message: 'the recording of plans has ended',
      },
    ]);
  });

  it('leaves the records before it whole', async () => {
    const target = recorder({ fileBytes: 1e6 });
    await recordAll(target, 2);
    const fullDisk = await breakAppending();
    await recordAll(recorder({ fileBytes: 1e6 }), 5);
    fullDisk.mockRestore();
    expect(results).toEqual([...Array(2).fill('written'), ...Array(5).fill('dropped')]);
    expect([(await readScopes()).length, await problems()]).toEqual([2, []]);
  });

  /** Writes half of what it should, and fails. */
  async function breakAppending() {
    const handle = await open(join(directory, 'any'), 'w');
    await handle.close();
    await rm(join(directory, 'any'));
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    return vi.spyOn(prototype, 'appendFile').mockImplementation(async function (this: FileHandle, data) {
      await this.write((data as Buffer).subarray(0, 20));
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    });
  }
});

async function problems(): Promise<string[]> {
  const found: string[] = [];
  for await (const { problem, line } of readRecording(directory))
    if (problem !== undefined) found.push(`${line}: ${problem}`);
  return found;
}

describe('a recording', () => {
  async function onlyFile(): Promise<string> {
    const [name = ''] = await readdir(directory);
    return join(directory, name);
  }

  it('may end with a line that a process left unfinished', async () => {
    await recordAll(recorder(), 2);
    const file = await onlyFile();
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, -10));
    expect([await problems(), (await readScopes()).length]).toEqual([[], 1]);
  });

  it('names the line of what is no record', async () => {
    await recordAll(recorder({ fileBytes: 1e6 }), 4);
    const file = await onlyFile();
    const [first = '', second = '', third = '', ...rest] = (await readFile(file, 'utf8')).split('\n');
    const wrong = [
      first.slice(0, 50),
      second.replace('"version":1', '"version":2'),
      third.replace('"sent":[]', '"sent":5'),
    ];
    await writeFile(file, [...wrong, ...rest].join('\n'));
    expect(await problems()).toEqual([
      '1: it is not a JSON object',
      '2: it has version 2, and this program reads version 1',
      '3: it is not a record (number 5 is not iterable (cannot read property Symbol(Symbol.iterator)))',
    ]);
  });
});
