import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import type { AlertStore } from '../../../src/service/alerts/alert-store.ts';
import { cachePages } from '../../../src/service/alerts/page-cache.ts';
import { createSqliteAlertStore } from '../../../src/service/alerts/sqlite-alert-store.ts';
import { openDataFile } from '../../../src/service/database/data-file.ts';
import { createSqliteConnection } from '../../../src/service/database/sqlite-connection.ts';

const alert = (name: string, size = 1) => ({
  name,
  isActive: false,
  systemData: null,
  members: `"name":"${name}"`,
  properties: `"pad":"${'x'.repeat(size)}"`,
});

function stores(limit?: number) {
  const store = createSqliteAlertStore(createSqliteConnection(openDataFile(undefined)));
  let reads = 0;
  const counted: AlertStore = {
    ...store,
    readPage(page) {
      reads += 1;
      return store.readPage(page);
    },
  };
  return { store, cached: cachePages(counted, limit), reads: () => reads };
}

const firstPage = (scope: string) => ({ scope, after: 0, limit: 10 });

/** Asks twice: the second time a page is kept. */
async function keep(cached: ReturnType<typeof stores>['cached'], scope: string) {
  await cached.readPage(firstPage(scope));
  return cached.readPage(firstPage(scope));
}

describe('a cached page', () => {
  test('is kept once it was asked for twice, whatever the case of its scope', async () => {
    const { cached, reads } = stores();
    await cached.putAlert('s', alert('A'));
    expect(await keep(cached, 's')).toEqual(await cached.readPage(firstPage('S')));
    await cached.readPage(firstPage('s'));
    expect(reads()).toBe(2);
  });

  test('is forgotten when writes that belong together fail', async () => {
    const { cached, store } = stores();
    await cached.putAlert('s', alert('A'));
    await keep(cached, 's');
    const fail = () =>
      cached.transaction((tx) => {
        void tx.putAlert('s', alert('B'));
        void tx.readPage(firstPage('s'));
        throw new Error('no');
      });
    expect(fail).toThrow('no');
    expect(await cached.readPage(firstPage('s'))).toEqual(await store.readPage(firstPage('s')));
  });

  test('that is larger than the cache is not kept, and many small ones are kept within its limit', async () => {
    const { cached, reads } = stores(1000);
    await cached.putAlert('large', alert('A', 1000));
    await cached.putAlert('s', alert('A'));
    await cached.putAlert('t', alert('A', 600));
    for (const scope of ['large', 's']) await keep(cached, scope);
    await cached.readPage(firstPage('large'));
    await cached.readPage(firstPage('s'));
    expect(reads()).toBe(5);
    await keep(cached, 't');
    // A read of the store would wait for its answer.
    void cached.readPage(firstPage('s'));
    expect(reads()).toBe(8);
  });

  test('of a walk over many scopes is not kept, and does not push out what is asked for again and again', async () => {
    const { cached, reads } = stores(1000);
    await cached.putAlert('s', alert('A'));
    await keep(cached, 's');
    for (let index = 0; index < 100; index++) {
      await cached.putAlert(`t${index}`, alert('A'));
      await cached.readPage(firstPage(`t${index}`));
    }
    await cached.readPage(firstPage('s'));
    expect(reads()).toBe(102);
  });
});

/** A cache over a store that answers each read when the test says so, with what the store had when it was asked. */
function waitingStores(limit?: number) {
  const { store } = stores();
  const waiting: (() => void)[] = [];
  let reads = 0;
  const slow: AlertStore = {
    ...store,
    async readPage(page) {
      reads += 1;
      const found = await store.readPage(page);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return found;
    },
  };
  const answerAll = async <T>(asked: readonly T[]) => {
    await nextTurn();
    for (const answer of waiting.splice(0)) answer();
    return Promise.all(asked);
  };
  return { store, cached: cachePages(slow, limit), answerAll, reads: () => reads };
}

describe('a page that is read while', () => {
  test('its scope is written is not kept', async () => {
    const { store, cached, answerAll } = waitingStores();
    await cached.putAlert('s', alert('A'));
    const early = [cached.readPage(firstPage('s')), cached.readPage(firstPage('s'))];
    await nextTurn();
    await cached.putAlert('s', alert('B'));
    await answerAll(early);
    expect(await answerAll([cached.readPage(firstPage('s'))])).toEqual([await store.readPage(firstPage('s'))]);
  });
});
