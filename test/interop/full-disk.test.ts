// A disk without space: lists are served, and updates are refused until there is space again. The disk is a small tmpfs, which only root
// can mount.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createLogger } from '../../src/lib/log.ts';
import { listOne, seed, turnOff } from '../support/servers/alerts-service-cases.ts';
import { errorOf, startOverSocket, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

const mount = (at: string) => spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', at]).status === 0;
const unmount = (at: string) => spawnSync('umount', [at]).status === 0;

let folder = '';
let dataFile = '';
let service: ServiceUnderTest | undefined;

/** Takes all space that is left, down to single bytes. */
function fillDisk(): void {
  for (const bytes of [65_536, 4096, 1]) while (grow(bytes));
}

/** False when the disk has no space for this number of bytes. */
function grow(bytes: number): boolean {
  try {
    writeFileSync(join(folder, 'filler'), Buffer.alloc(bytes), { flag: 'a' });
    return true;
  } catch {
    return false;
  }
}

/** The flag of the first alert of a list. */
const activeOf = (list: string) => /"isActive":(true|false)/.exec(list)?.[1] === 'true';

const canMount = await mkdtemp(join(tmpdir(), 'rolealerts-mount-')).then((at) => {
  const isMounted = mount(at) && unmount(at);
  rmSync(at, { recursive: true });
  return isMounted;
});

describe.skipIf(!canMount)('a full disk', () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolealerts-disk-'));
    mount(folder);
    dataFile = join(folder, 'state.db');
  });
  afterEach(async () => {
    await service?.stop();
    unmount(folder);
    await rm(folder, { recursive: true });
  });

  const lines: string[] = [];
  const log = createLogger({ level: 'warn', format: 'json', sink: { write: (line) => void lines.push(line) } });

  test('that fills up while the service runs refuses updates, loses none that it acknowledged, and takes them once it has space', async () => {
    const started = await startOverSocket({ seed, dataFile, log });
    service = started;
    fillDisk();
    let isActive = false;
    const set = () => started.send({ ...turnOff, body: JSON.stringify({ properties: { isActive } }) });
    // The log has some space of its own.
    let received = await set();
    for (let updates = 0; updates < 1000 && received.status === 204; updates++) {
      isActive = !isActive;
      received = await set();
    }
    for (let times = 0; times < 3; times++) expect(errorOf(await set())).toBe('507 StorageFull');
    expect(lines).toEqual([expect.stringContaining('The disk of the data file')]);
    const listed = (await started.send({ target: listOne })).text;
    expect(activeOf(listed)).toBe(!isActive);
    rmSync(join(folder, 'filler'));
    expect((await set()).status).toBe(204);
    await started.stop();
    service = await startOverSocket({ dataFile });
    expect(activeOf((await service.send({ target: listOne })).text)).toBe(isActive);
  });

  test('keeps a service from starting, in one sentence, and changes nothing', async () => {
    service = await startOverSocket({ seed, dataFile });
    await service.send(turnOff);
    await service.stop();
    fillDisk();
    const refusal = { code: 'usage', message: `Cannot use the data file ${dataFile}: the disk is full.` };
    await expect(startOverSocket({ dataFile })).rejects.toMatchObject(refusal);
    rmSync(join(folder, 'filler'));
    service = await startOverSocket({ dataFile });
    expect(activeOf((await service.send({ target: listOne })).text)).toBe(false);
  });

  test('keeps a new data file from being made, in one sentence', async () => {
    fillDisk();
    const refusal = { code: 'usage', message: `Cannot use the data file ${dataFile}: the disk is full.` };
    await expect(startOverSocket({ dataFile })).rejects.toMatchObject(refusal);
  });
});
