// The metrics of an operator over caches that a test fills.
import { createObjectCache } from '../../../src/operator/kube/object-cache.ts';
import { createMetrics, type Metrics } from '../../../src/operator/manager/metrics.ts';
import type { AnyConnection, RoleAlertConnection, RoleAlertPolicy } from '../../../src/policy/resources.ts';
import { at, connection, minuteMs, nowMs, policy } from '../builders/objects.ts';
import { ManualClock } from './manual-clock.ts';

export const build = { version: '1.2.3', commit: 'c0ffee', node: 'v26.0.0' };

export class MetricsRig {
  readonly clock = new ManualClock(nowMs);
  readonly policies = createObjectCache<RoleAlertPolicy>(() => undefined);
  readonly connections = createObjectCache<RoleAlertConnection>(() => undefined);
  /** What the controller knows of a connection. */
  unverifiedSinceMs: (connection: AnyConnection) => number | undefined = () => undefined;
  readonly metrics: Metrics;

  constructor(ownsProcess = false) {
    this.metrics = createMetrics(
      () => ({
        load: () => ({ depth: 0, active: 0 }),
        servedPolicies: () => this.policies.objects.values(),
        servedConnections: () => this.connections.objects.values(),
        unverifiedSinceMs: (object) => this.unverifiedSinceMs(object),
      }),
      { clock: this.clock, build, ownsProcess },
    );
  }

  /** The text of a scrape. */
  async text(): Promise<string> {
    return [...(await this.metrics.scrape())].join('');
  }

  /** The lines of a scrape that begin so, without comments. */
  async series(start = ''): Promise<string[]> {
    const lines = (await this.text()).split('\n');
    return lines.filter((line) => line !== '' && !line.startsWith('#') && line.startsWith(start));
  }

  /** One policy, one connection, and each fact once, so that every metric has a series. */
  addEverything(): void {
    const { observer, transport, ...metrics } = this.metrics;
    const seen = { want: 'Active', live: 'Active', state: 'Firing', result: 'InSync', scanning: 'Enabled' } as const;
    const counts = { declared: 1, inSync: 1, drifted: 0, missing: 0, dismissed: 0, incidents: 1, inSyncText: '1/1' };
    const { conditions } = policy().status ?? {};
    const alerts = [{ name: 'Owners', ...seen, incidents: { total: 1 } }];
    this.policies.put(
      policy({
        spec: { suspend: true, suspendUntil: at(minuteMs) },
        status: { observedGeneration: 1, conditions: conditions ?? [], summary: counts, alerts },
      }),
    );
    const entry = { scope: 'subscriptions/a', alert: 'Owners', policy: 'team/owners', since: at(0) };
    const dismissals = [{ ...entry, until: at(minuteMs) }];
    this.connections.put({
      ...connection(),
      status: { observedGeneration: 1, conditions: conditions ?? [], dismissals },
    });
    this.unverifiedSinceMs = () => nowMs;
    observer.reconcileEnded('failed', 12);
    observer.actionEnded('team/prod', 'activate', 'sent');
    observer.correctionSeen('team/prod', 'Declared');
    observer.connectionSeen('team/prod', 'Connected', undefined);
    observer.roundCompleted('team/prod');
    observer.statusWritten('policy');
    transport.onRequest({ verb: 'get', code: '200', durationMs: 1 });
    metrics.onServiceRequest({ operation: 'list', outcome: 'ok', durationMs: 1 });
    metrics.onEventDropped('full');
    metrics.onWatchFailure('rolealertpolicies', 'kube-gone');
    metrics.onPlanRecorded('written');
    metrics.onLeading('rolealerts', true);
  }
}
