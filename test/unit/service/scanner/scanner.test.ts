// The schedule of scans, over a store in memory, a manual source and a manual clock.
import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { objectOf, type JsonObject } from '../../../../src/lib/json-shape.ts';
import type { Logger } from '../../../../src/lib/log.ts';
import { silentLogger } from '../../../../src/lib/log.ts';
import { storeAlert } from '../../../../src/service/alerts/alert-document.ts';
import { DataFileError } from '../../../../src/service/database/data-file-error.ts';
import { openDatabase } from '../../../../src/service/database/open-database.ts';
import { ownTurns } from '../../../../src/service/database/scan-turns.ts';
import { createScanner } from '../../../../src/service/scanner/scanner.ts';
import { HandSource, noOwnersAllowed, owner, scopeFacts } from '../../../support/builders/assignments.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const intervalMs = 60_000;
const kind = 'TooManyOwnersAssignedToResource';

function rig(found: HandSource['found'] = [], intervened = (source: HandSource) => source.read()) {
  const database = openDatabase(undefined);
  const { alerts: store, sql } = database;
  /** What a test does before each write, such as failing. */
  const disk = { beforeWrite: (_scope: string): void => undefined };
  const source = new HandSource(found);
  const clock = new ManualClock();
  const lines: string[] = [];
  const log: Logger = {
    ...silentLogger,
    debug: (_, message) => lines.push(`debug ${message}`),
    info: (_, message) => lines.push(`info ${message}`),
    warn: (_, message) => lines.push(`warn ${message}`),
    error: (_, message) => lines.push(`error ${message}`),
  };
  const scanner = createScanner({
    isAudited: false,
    source: { read: () => intervened(source) },
    thresholds: noOwnersAllowed,
    scanTurns: ownTurns,
    store: {
      transaction: (work) =>
        store.transaction((tx) => {
          const putAlert: typeof tx.putAlert = (scope, alert) => {
            disk.beforeWrite(scope);
            return tx.putAlert(scope, alert);
          };
          return work({ ...tx, putAlert });
        }),
    },
    sql,
    providerNamespace: 'N',
    clock,
    log,
    intervalMs,
  });
  const alert = async (scope: string) => {
    const text = await store.readAlert(scope, kind);
    return text === undefined ? undefined : (JSON.parse(text) as { properties: Record<string, unknown> }).properties;
  };
  /** Lets a scan of a few scopes run to its end. */
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  };
  return { store, sql, disk, source, clock, lines, scanner, alert, settle };
}

const adaOwns = (scope: string) => scopeFacts(scope, [owner('ada')]);

describe('a scanner', () => {
  test('scans on request, without having been started, and no more by itself', async () => {
    const { scanner, source, clock, alert } = rig([adaOwns('s')]);
    expect(await scanner.scanNow()).toEqual({
      scopes: 1,
      raised: 2,
      refreshed: 2,
      cleared: 0,
      disabled: 0,
      durationMs: 0,
    });
    expect(await alert('s')).toMatchObject({ isActive: true, incidentCount: 1 });
    expect([source.reads, clock.pendingTimers]).toEqual([1, 0]);
  });

  test('begins its interval anew after a scan on request', async () => {
    const { scanner, source, clock, settle } = rig();
    scanner.start();
    await settle();
    await clock.advance(intervalMs - 1);
    await scanner.scanNow();
    await clock.advance(intervalMs - 1);
    await settle();
    expect([source.reads, clock.pendingTimers]).toEqual([2, 1]);
    await scanner.stop();
  });

  test('does one scan at a time, and a request meanwhile gets one that begins later', async () => {
    let [running, most] = [0, 0];
    const { scanner, source } = rig([], async (hand) => {
      running += 1;
      most = Math.max(most, running);
      const found = await hand.read();
      await nextTurn();
      running -= 1;
      return found;
    });
    const first = scanner.scanNow();
    await nextTurn();
    source.found = [adaOwns('s')];
    const later = [scanner.scanNow(), scanner.scanNow()];
    expect((await first)?.raised).toBe(0);
    expect((await Promise.all(later)).map((report) => report?.raised)).toEqual([2, 2]);
    expect([source.reads, most]).toEqual([2, 1]);
  });

  test('lets others run between two scopes', async () => {
    const { scanner, alert } = rig(Array.from({ length: 50 }, (_, index) => adaOwns(`s${index}`)));
    const scan = scanner.scanNow();
    let turns = 0;
    while ((await alert('s49')) === undefined) {
      turns += 1;
      await nextTurn();
    }
    await scan;
    expect(turns).toBeGreaterThanOrEqual(49);
  });

  test('that is stopped ends after the scope it is at, and scans no more', async () => {
    const { scanner, source, clock, alert } = rig(Array.from({ length: 50 }, (_, index) => adaOwns(`s${index}`)));
    scanner.start();
    while ((await alert('s1')) === undefined) await nextTurn();
    await scanner.stop();
    expect(await alert('s49')).toBeUndefined();
    await clock.advance(10 * intervalMs);
    expect(await scanner.scanNow()).toBeUndefined();
    expect([source.reads, clock.pendingTimers]).toEqual([1, 0]);
  });

  test('reports a failing source once, keeps its findings, and continues', async () => {
    const { scanner, source, clock, lines, alert, settle } = rig([adaOwns('s')]);
    scanner.start();
    await settle();
    const before = await alert('s');
    source.found = 'broken';
    for (let scan = 0; scan < 3; scan += 1) {
      await clock.advance(intervalMs);
      await settle();
    }
    expect(await alert('s')).toEqual(before);
    source.found = [];
    await clock.advance(intervalMs);
    await settle();
    expect(await alert('s')).toMatchObject({ isActive: false, incidentCount: 0 });
    expect(lines).toEqual([
      'info role assignments scanned',
      'warn role assignments not readable, keeping earlier findings',
      'debug role assignments still not readable',
      'debug role assignments still not readable',
      'info role assignments scanned',
    ]);
    await scanner.stop();
  });

  test('reports a failing data file as an error and continues', async () => {
    const { scanner, disk, clock, lines, settle, alert } = rig([adaOwns('s')]);
    disk.beforeWrite = () => {
      throw new Error('disk full');
    };
    scanner.start();
    await settle();
    expect(lines).toEqual(['error scan failed']);
    disk.beforeWrite = () => undefined;
    await clock.advance(intervalMs);
    await settle();
    expect(await alert('s')).toMatchObject({ isActive: true });
    await scanner.stop();
  });

  test('scans the other scopes when one is damaged on disk, and reports it', async () => {
    const { scanner, disk, lines, alert } = rig([adaOwns('damaged'), adaOwns('sound')]);
    disk.beforeWrite = (scope) => {
      if (scope === 'damaged') throw new DataFileError('data-file-damaged', 'The data file is damaged.');
    };
    expect(await scanner.scanNow()).toBeUndefined();
    expect(lines).toEqual(['warn scan not stored']);
    expect(await alert('sound')).toMatchObject({ isActive: true });
    expect(await alert('damaged')).toBeUndefined();
    await scanner.stop();
  });
});

describe('a scope', () => {
  test('that the source no longer names is cleared once and then left alone', async () => {
    const { scanner, source, alert, clock } = rig([adaOwns('Clusters/C')]);
    await scanner.scanNow();
    source.found = [];
    expect(await scanner.scanNow()).toMatchObject({ scopes: 1, cleared: 2 });
    const cleared = await alert('Clusters/C');
    expect(cleared).toMatchObject({ isActive: false, alertIncidents: [], scope: 'Clusters/C' });
    await clock.advance(1000);
    expect(await scanner.scanNow()).toMatchObject({ scopes: 0, cleared: 0 });
    expect(await alert('Clusters/C')).toEqual(cleared);
  });

  test('that the source no longer names is cleared later where its alerts were disabled', async () => {
    const { scanner, source, store, alert } = rig([adaOwns('s')]);
    await scanner.scanNow();
    const text = (await store.readAlert('s', kind)) ?? '';
    const { name, properties } = JSON.parse(text) as JsonObject & { name: string; properties: JsonObject };
    const put = (isEnabled: boolean) => {
      const alertConfiguration = { ...objectOf(properties['alertConfiguration']), properties: { isEnabled } };
      const changed = { name, properties: { ...properties, alertConfiguration } };
      return store.putAlert('s', storeAlert(changed, name, { scope: 's', providerNamespace: 'N', nowMs: 0 }));
    };
    await put(false);
    source.found = [];
    expect(await scanner.scanNow()).toMatchObject({ scopes: 1, disabled: 1 });
    expect(await alert('s')).toMatchObject({ isActive: true, incidentCount: 1 });
    await put(true);
    expect(await scanner.scanNow()).toMatchObject({ scopes: 1, disabled: 0 });
    expect(await alert('s')).toMatchObject({ isActive: false, incidentCount: 0 });
    expect(await scanner.scanNow()).toMatchObject({ scopes: 0 });
  });

  test('that was never scanned is not touched', async () => {
    const { scanner, store } = rig([]);
    await store.putAlert('seeded', {
      name: kind,
      isActive: true,
      systemData: null,
      members: '"a":1',
      properties: '"b":2',
    });
    const before = await store.readAlert('seeded', kind);
    await scanner.scanNow();
    expect(await store.readAlert('seeded', kind)).toBe(before);
  });

  test('is scanned whole or not at all', async () => {
    const { scanner, disk, alert } = rig([adaOwns('s')]);
    let writes = 0;
    disk.beforeWrite = () => {
      writes += 1;
      if (writes === 3) throw new Error('disk full');
    };
    await scanner.scanNow();
    expect([writes, await alert('s')]).toEqual([3, undefined]);
  });
});
