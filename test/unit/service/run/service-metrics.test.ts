import { expect, test } from 'vitest';

import { createServiceMetrics } from '../../../../src/service/run/service-metrics.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

test('a fault is counted by its name, and a 429 that it gives is not taken for the rate limit', async () => {
  const { registry, observer } = createServiceMetrics(handClock());
  const answer = {
    route: 'list-alerts',
    status: 429,
    principal: 'client',
    errorCode: 'TooManyRequests',
    durationMs: 1,
  } as const;
  observer.answered(answer);
  observer.answered({ ...answer, fault: 'status' });
  await registry.metrics();
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toContain('rolealerts_service_rate_limited_total 1');
  expect(lines).toContain('rolealerts_service_faults_total{fault="status"} 1');
  expect(lines).toContain('rolealerts_service_answers_total{route="list-alerts",status="429"} 2');
});

test('each of many durations is in one scrape, whether or not there was one between them', async () => {
  const { registry, observer } = createServiceMetrics(handClock());
  const counted = async () =>
    (await registry.metrics()).match(
      /duration_seconds_(?:bucket\{le="0.01",route="keys"\}|count\{route="keys"\}) \d+/g,
    );
  for (let index = 0; index < 1234; index++) {
    observer.answered({ route: 'keys', status: 200, principal: 'none', durationMs: index % 2 === 0 ? 8 : 800 });
    if (index === 700) await registry.metrics();
  }
  const expected = ['duration_seconds_bucket{le="0.01",route="keys"} 617', 'duration_seconds_count{route="keys"} 1234'];
  expect(await counted()).toEqual(expected);
  expect(await counted()).toEqual(expected);
});

test('a count that fails or does not come leaves the other metrics, and the previous count', async () => {
  const clock = new ManualClock();
  const metrics = createServiceMetrics(clock);
  const scraped = async () => {
    await clock.advance(60_000);
    const text = metrics.registry.metrics();
    await clock.advance(2000);
    return (await text).split('\n').filter((line) => line.startsWith('rolealerts_service_alerts{'));
  };
  const counted = ['rolealerts_service_alerts{active="true"} 1', 'rolealerts_service_alerts{active="false"} 2'];
  metrics.countAlertsBy(() => ({ active: 1, inactive: 2 }));
  expect(await scraped()).toEqual(counted);
  metrics.countAlertsBy(() => Promise.reject(new Error('away')));
  expect(await scraped()).toEqual(counted);
  metrics.countAlertsBy(() => new Promise(() => undefined));
  expect(await scraped()).toEqual(counted);
});
