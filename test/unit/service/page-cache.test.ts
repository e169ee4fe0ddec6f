import { describe, expect, test } from 'vitest';

import { createAlertStore } from '../../../src/service/alerts/alert-store.ts';
import { cachePages } from '../../../src/service/alerts/page-cache.ts';
import { openDatabase } from '../../../src/service/database.ts';

const alert = (name: string, size = 1) => ({
  name,
  isActive: false,
  systemData: null,
  members: `"name":"${name}"`,
  properties: `"pad":"${'x'.repeat(size)}"`,
});
const modifier = { by: 'b', byType: 'User', atMs: 0 } as const;

function stores(limit?: number) {
  const store = createAlertStore(openDatabase(undefined));
  let reads = 0;
  const counted: typeof store = {
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
function keep(cached: ReturnType<typeof stores>['cached'], scope: string) {
  cached.readPage(firstPage(scope));
  return cached.readPage(firstPage(scope));
}

describe('a cached page', () => {
  test('is kept once it was asked for twice, whatever the case of its scope', () => {
    const { cached, reads } = stores();
    cached.putAlert('s', alert('A'));
    expect(keep(cached, 's')).toEqual(cached.readPage(firstPage('S')));
    cached.readPage(firstPage('s'));
    expect(reads()).toBe(2);
  });

  test('is one of its position and size', () => {
    const { cached } = stores();
    for (const name of ['A', 'B', 'C']) cached.putAlert('s', alert(name));
    const pages = [
      { scope: 's', after: 0, limit: 1 },
      { scope: 's', after: 1, limit: 1 },
      { scope: 's', after: 1, limit: 2 },
    ].map((page) => cached.readPage(page));
    expect(new Set(pages.map((page) => page?.text)).size).toBe(3);
  });

  test.each<[string, (cached: ReturnType<typeof stores>['cached']) => unknown]>([
    ['a flag was changed', (cached) => cached.changeActive({ scope: 'S', alertName: 'A', isActive: true, modifier })],
    ['an alert was replaced', (cached) => cached.putAlert('S', alert('A', 2))],
    ['an alert was added', (cached) => cached.putAlert('S', alert('B'))],
    ['an alert was removed', (cached) => cached.removeAlert('S', 'a')],
    ['a scan found incidents', (cached) => cached.replaceIncidents('S', 'a', [{}], 0)],
    ['several writes were made together', (cached) => cached.transaction(() => cached.putAlert('S', alert('B')))],
  ])('is read again after %s', (_, write) => {
    const { cached, store } = stores();
    cached.putAlert('s', alert('A'));
    const before = keep(cached, 's');
    write(cached);
    const after = cached.readPage(firstPage('s'));
    expect(after).not.toEqual(before);
    expect(after).toEqual(store.readPage(firstPage('s')));
  });

  test('of a scope that became known is read', () => {
    const { cached } = stores();
    expect(cached.readPage(firstPage('s'))).toBeUndefined();
    cached.addScope('s');
    expect(cached.readPage(firstPage('s'))).toEqual({ text: '' });
  });

  test('is forgotten when writes that belong together fail', () => {
    const { cached, store } = stores();
    cached.putAlert('s', alert('A'));
    keep(cached, 's');
    const fail = () =>
      cached.transaction(() => {
        cached.putAlert('s', alert('B'));
        cached.readPage(firstPage('s'));
        throw new Error('no');
      });
    expect(fail).toThrow('no');
    expect(cached.readPage(firstPage('s'))).toEqual(store.readPage(firstPage('s')));
  });

  test('of a scope that writes together did not touch is kept', () => {
    const { cached, reads } = stores();
    cached.putAlert('s', alert('A'));
    const before = keep(cached, 's');
    cached.transaction(() => cached.putAlert('t', alert('B')));
    expect(cached.readPage(firstPage('s'))).toBe(before);
    expect(reads()).toBe(2);
  });

  test('that is larger than the cache is not kept, and many small ones are kept within its limit', () => {
    const { cached, reads } = stores(1000);
    cached.putAlert('large', alert('A', 1000));
    cached.putAlert('s', alert('A'));
    cached.putAlert('t', alert('A', 600));
    for (const scope of ['large', 's']) keep(cached, scope);
    cached.readPage(firstPage('large'));
    cached.readPage(firstPage('s'));
    expect(reads()).toBe(5);
    keep(cached, 't');
    cached.readPage(firstPage('s'));
    expect(reads()).toBe(8);
  });

  test('of a walk over many scopes is not kept, and does not push out what is asked for again and again', () => {
    const { cached, reads } = stores(1000);
    cached.putAlert('s', alert('A'));
    keep(cached, 's');
    for (let index = 0; index < 100; index++) {
      cached.putAlert(`t${index}`, alert('A'));
      cached.readPage(firstPage(`t${index}`));
    }
    cached.readPage(firstPage('s'));
    expect(reads()).toBe(102);
  });
});
