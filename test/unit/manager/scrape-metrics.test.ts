// Metrics that are kept until a scrape: a scrape shows every change, once, and no series of what was forgotten.
import { Registry } from 'prom-client';
import { beforeEach, expect, it } from 'vitest';

import { createScrapeCounter, createScrapeGauge } from '../../../src/manager/scrape-metrics.ts';

let registry: Registry;

beforeEach(() => {
  registry = new Registry();
});

const options = (name: string) => ({ name, help: 'A metric.', registers: [registry] });

async function scrape(): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

it('a counter shows the same counts at every scrape, and later ones added', async () => {
  const requests = createScrapeCounter({ ...options('requests_total'), labelNames: ['method', 'code'] });
  expect(await scrape()).toEqual([]);
  for (const code of ['200', '200', '409']) requests.count('PUT', code);
  const counted = ['requests_total{method="PUT",code="200"} 2', 'requests_total{method="PUT",code="409"} 1'];
  expect(await scrape()).toEqual(counted);
  expect(await scrape()).toEqual(counted);
  requests.count('PUT', '409');
  expect(await scrape()).toEqual([counted[0], 'requests_total{method="PUT",code="409"} 2']);
});

it('a counter has one to three labels, and forgets every series of a first label', async () => {
  const kinds = createScrapeCounter({ ...options('kinds_total'), labelNames: ['kind'] });
  const actions = createScrapeCounter({ ...options('actions_total'), labelNames: ['owner', 'direction', 'result'] });
  kinds.count('policy');
  for (const owner of ['gone', 'kept']) {
    actions.count(owner, 'activate', 'sent');
    actions.count(owner, 'activate', 'failed');
  }
  await scrape();
  actions.forget('gone');
  expect(await scrape()).toEqual([
    'kinds_total{kind="policy"} 1',
    'actions_total{owner="kept",direction="activate",result="sent"} 1',
    'actions_total{owner="kept",direction="activate",result="failed"} 1',
  ]);
  actions.count('gone', 'activate', 'sent');
  expect(await scrape()).toContain('actions_total{owner="gone",direction="activate",result="sent"} 1');
});

it('a gauge shows the last value of each owner, also when nothing changed since the last scrape', async () => {
  const incidents = createScrapeGauge({ ...options('incidents'), labelName: 'policy' });
  incidents.set('a', 1);
  incidents.set('a', 2);
  incidents.set('b', 0);
  expect(await scrape()).toEqual(['incidents{policy="a"} 2', 'incidents{policy="b"} 0']);
  incidents.set('b', 5);
  expect(await scrape()).toEqual(['incidents{policy="a"} 2', 'incidents{policy="b"} 5']);
});

it('a gauge has no series of an owner that was forgotten, before a scrape or after', async () => {
  const incidents = createScrapeGauge({ ...options('incidents'), labelName: 'policy' });
  incidents.set('shown', 1);
  await scrape();
  incidents.set('unseen', 1);
  incidents.forget('shown');
  incidents.forget('unseen');
  expect(await scrape()).toEqual([]);
});
