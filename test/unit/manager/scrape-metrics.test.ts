// Metrics that are kept until a scrape: a scrape shows every change, once, and no series of what was forgotten.
import { Registry } from 'prom-client';
import { beforeEach, expect, it } from 'vitest';

import { createObjectCounter, createObjectGauge, createScrapeCounter } from '../../../src/manager/scrape-metrics.ts';

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

it('a counter of objects names them in two labels, and forgets every series of one', async () => {
  const kinds = createScrapeCounter({ ...options('kinds_total'), labelNames: ['kind'] });
  const actions = createObjectCounter({ ...options('actions_total'), labelNames: ['direction', 'result'] });
  kinds.count('policy');
  for (const owner of ['team/gone', 'team/kept']) {
    actions.count(owner, 'activate', 'sent');
    actions.count(owner, 'activate', 'failed');
  }
  await scrape();
  actions.forget('team/gone');
  expect(await scrape()).toEqual([
    'kinds_total{kind="policy"} 1',
    'actions_total{namespace="team",name="kept",direction="activate",result="sent"} 1',
    'actions_total{namespace="team",name="kept",direction="activate",result="failed"} 1',
  ]);
  actions.count('team/gone', 'activate', 'sent');
  expect(await scrape()).toContain('actions_total{namespace="team",name="gone",direction="activate",result="sent"} 1');
});

it('a gauge shows the last value of each object, also when nothing changed since the last scrape', async () => {
  const incidents = createObjectGauge(options('incidents'));
  incidents.set('team/a', 1);
  incidents.set('team/a', 2);
  incidents.set('team/b', 0);
  expect(await scrape()).toEqual(['incidents{namespace="team",name="a"} 2', 'incidents{namespace="team",name="b"} 0']);
  incidents.set('team/b', 5);
  expect(await scrape()).toEqual(['incidents{namespace="team",name="a"} 2', 'incidents{namespace="team",name="b"} 5']);
});

it('a gauge has no series of an object that was forgotten, before a scrape or after', async () => {
  const incidents = createObjectGauge(options('incidents'));
  incidents.set('team/shown', 1);
  await scrape();
  incidents.set('team/unseen', 1);
  incidents.forget('team/shown');
  incidents.forget('team/unseen');
  expect(await scrape()).toEqual([]);
});
