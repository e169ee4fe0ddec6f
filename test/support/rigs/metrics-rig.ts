import { createObjectCache } from '../../../src/kube/object-cache.ts';
// The metrics of an operator over caches that a test fills.
import { createMetrics } from '../../../src/manager/metrics.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../../../src/policy/resources.ts';
import { nowMs } from '../builders/objects.ts';
import { ManualClock } from './manual-clock.ts';

export const build = { version: '1.2.3', commit: 'c0ffee', node: 'v26.0.0' };

export class MetricsRig {
  readonly clock = new ManualClock(nowMs);
  readonly policies = createObjectCache<RoleAlertPolicy>(() => undefined);
  readonly connections = createObjectCache<RoleAlertConnection>(() => undefined);
  /** What the controller knows of a connection. */
  unverifiedSinceMs: (connection: RoleAlertConnection) => number | undefined = () => undefined;
  readonly metrics = createMetrics(
    () => ({
      load: () => ({ depth: 0, active: 0 }),
      servedPolicies: () => this.policies.objects.values(),
      servedConnections: () => this.connections.objects.values(),
      unverifiedSinceMs: (connection) => this.unverifiedSinceMs(connection),
    }),
    { clock: this.clock, build, ownsProcess: false },
  );

  /** The lines of a scrape that begin so, without comments. */
  async series(start = ''): Promise<string[]> {
    const lines = [...(await this.metrics.scrape())].join('').split('\n');
    return lines.filter((line) => line !== '' && !line.startsWith('#') && line.startsWith(start));
  }
}
