// The metrics of the operator: controller-runtime's names where it has them, the prefix `rolealerts_` otherwise. Labels
// are bounded to existing connections and policies; the series of a deleted object disappear with it.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { Clock } from '../../lib/clock.ts';
import { addProcessMetrics } from '../../lib/process-metrics.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import type { RequestSample } from '../alert-client/client.ts';
import type { DropCause } from '../kube/send-event.ts';
import type { TransportObserver } from '../kube/transport.ts';
import type { Observer } from '../ports.ts';
import type { RecordResult } from '../recording/file-recorder.ts';
import type { BuildLabels } from './manager-options.ts';
import { type ObjectFamily, renderFamilies } from './object-families.ts';
import { objectFamilies } from './object-metrics.ts';
import { controllerName, secondsBuckets, createObserver } from './reconcile-metrics.ts';

/** What a scrape reads of the controller. */
export interface ScrapeSource {
  /** Due work items and busy workers. */
  load(): { readonly depth: number; readonly active: number };
  /** The objects that this process serves; none before it leads. */
  servedPolicies(): Iterable<RoleAlertPolicy>;
  servedConnections(): Iterable<AnyConnection>;
  /** When the oldest write was sent through the connection that no list has verified; milliseconds since 1970. */
  unverifiedSinceMs(connection: AnyConnection): number | undefined;
}

export interface Metrics {
  /** The metrics without those of `families`. */
  readonly registry: Registry;
  readonly families: readonly ObjectFamily[];
  /** The text of a scrape, in parts. */
  scrape(): Promise<Iterable<string>>;
  readonly observer: Observer;
  readonly onServiceRequest: (sample: RequestSample) => void;
  readonly onEventDropped: (cause: DropCause) => void;
  readonly transport: TransportObserver;
  readonly onWatchFailure: (resource: string, code: string) => void;
  readonly onLeading: (lease: string, isLeading: boolean) => void;
  readonly onPlanRecorded: (result: RecordResult) => void;
}

export interface MetricsOptions {
  readonly clock: Clock;
  readonly build: BuildLabels;
  /** Adds the metrics of the process itself. */
  readonly ownsProcess: boolean;
  /** Log lines that no reader took, since the start. */
  readonly droppedLogLines?: (() => number) | undefined;
}

/** Calls `source` at every scrape. */
export function createMetrics(source: () => ScrapeSource, options: MetricsOptions): Metrics {
  const { clock, build, ownsProcess, droppedLogLines } = options;
  const registry = new Registry();
  if (ownsProcess) addProcessMetrics(registry, droppedLogLines);
  const registers = [registry];
  addBuildInfo(registers, build);
  addLoadGauges(registers, source);
  const requests = new Counter({
    name: 'rolealerts_service_requests_total',
    help: 'Requests to the alerts service, by operation and outcome.',
    labelNames: ['operation', 'outcome'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'rolealerts_service_request_duration_seconds',
    help: 'Time from sending a request to the end of the response, without the wait for the rate limiter.',
    labelNames: ['operation'],
    buckets: secondsBuckets,
    registers,
  });
  const dropped = new Counter({
    name: 'rolealerts_events_dropped_total',
    help: 'Kubernetes events that were not sent, by cause.',
    labelNames: ['cause'],
    registers,
  });
  const restRequests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, by verb and HTTP status or failure.',
    labelNames: ['method', 'code'],
    registers,
  });
  const watchFailures = new Counter({
    name: 'rolealerts_watch_failures_total',
    help: 'Lists and watches that failed and were retried.',
    labelNames: ['resource', 'code'],
    registers,
  });
  const recordedPlans = new Counter({
    name: 'rolealerts_recorded_plans_total',
    help: 'Plans for --record, by result: written to a file, or dropped because the disk refused them or was too slow.',
    labelNames: ['result'],
    registers,
  });
  const leading = new Gauge({
    name: 'leader_election_master_status',
    help: '1 on the replica that holds the leader lease, 0 on the others.',
    labelNames: ['name'],
    registers,
  });
  const families = objectFamilies({
    clock,
    unverifiedSinceMs: (connection) => source().unverifiedSinceMs(connection),
  });
  return {
    registry,
    families,
    async scrape() {
      const text = await registry.metrics();
      const objects = { policies: [...source().servedPolicies()], connections: [...source().servedConnections()] };
      return partsOf(text, renderFamilies(families, objects));
    },
    observer: createObserver(registers, clock),
    onServiceRequest({ operation, outcome, durationMs }) {
      requests.inc({ operation, outcome });
      requestSeconds.observe({ operation }, durationMs / 1000);
    },
    onEventDropped: (cause) => dropped.inc({ cause }),
    transport: { onRequest: ({ verb, code }) => restRequests.inc({ method: verb, code }) },
    onWatchFailure: (resource, code) => watchFailures.inc({ resource, code }),
    onPlanRecorded: (result) => recordedPlans.inc({ result }),
    onLeading: (name, isLeading) => leading.set({ name }, isLeading ? 1 : 0),
  };
}

function* partsOf(first: string, rest: Iterable<string>): Iterable<string> {
  yield first;
  yield* rest;
}

function addBuildInfo(registers: Registry[], { version, commit, node }: BuildLabels): void {
  const gauge = new Gauge({
    name: 'rolealerts_build_info',
    help: 'Always 1: the version and the commit of the operator and the version of Node are in the labels.',
    labelNames: ['version', 'commit', 'node'],
    registers,
  });
  gauge.set({ version, commit, node }, 1);
}

function addLoadGauges(registers: Registry[], source: () => ScrapeSource): void {
  const gauge = (name: string, help: string, labels: Record<string, string>, read: () => number) =>
    new Gauge({
      name,
      help,
      labelNames: Object.keys(labels),
      registers,
      collect() {
        this.set(labels, read());
      },
    });
  gauge(
    'workqueue_depth',
    'Work items (connection and scope) that are due and wait for a worker.',
    { name: controllerName },
    () => source().load().depth,
  );
  gauge(
    'controller_runtime_active_workers',
    'Active reconciles.',
    { controller: controllerName },
    () => source().load().active,
  );
}
