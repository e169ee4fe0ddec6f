import { expect, test } from 'vitest';

import { createServiceMetrics } from '../../../src/serve/service-metrics.ts';
import { handClock } from '../../support/servers/alerts-service.ts';

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
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toContain('rolealerts_service_rate_limited_total 1');
  expect(lines).toContain('rolealerts_service_faults_total{fault="status"} 1');
  expect(lines).toContain('rolealerts_service_answers_total{route="list-alerts",status="429"} 2');
});
