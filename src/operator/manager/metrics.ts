// The metrics of the operator: controller-runtime's names where it has them, the prefix `rolealerts_` otherwise. Labels
// are bounded to existing connections and policies; the series of a deleted object disappear with it.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { BuildFacts } from '../../lib/build-facts.ts';
import type { Clock } from '../../lib/clock.ts';
import { addProcessMetrics } from '../../lib/process-metrics.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import type { RequestSample } from '../alert-client/client.ts';
import { actionCauses } from '../decide/writes.ts';
import type { DropCause } from '../kube/event-recorder.ts';
import type { TransportObserver } from '../kube/transport.ts';
import type { Observer } from '../ports.ts';
import type { RecordResult } from '../recording/file-recorder.ts';
import { objectFamilies, type ObjectFamily, objectLabelNames, renderFamilies } from './object-metrics.ts';

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

/** The labels of the metric `rolealerts_build_info`. */
export interface BuildLabels extends BuildFacts {
  /** The version of Node, such as `v20.19.0`. */
  readonly node: string;
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
    help: 'Plans for --record, by result: written to a file, or dropped because the disk was too slow or the recording has ended.',
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

export const controllerName = 'rolealertpolicy';
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of reconciles and of what they report about connections. */
export function createObserver(registers: Registry[], clock: Clock): Observer {
  const reconciles = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by result: unchanged, corrected, unverified, failed (the service), error (the API server or a bug), skipped.',
    labelNames: ['controller', 'result'],
    registers,
  });
  const errors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconciles with the result failed, error or unverified.',
    labelNames: ['controller'],
    registers,
  });
  const reconcileSeconds = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Duration of a reconcile, including the wait for the rate limiter.',
    labelNames: ['controller'],
    buckets: secondsBuckets,
    registers,
  });
  const actions = new Counter({
    name: 'rolealerts_actions_total',
    help: 'PATCHes, by connection, direction and result.',
    labelNames: [...objectLabelNames, 'direction', 'result'],
    registers,
  });
  const corrections = new Counter({
    name: 'rolealerts_corrections_total',
    help: 'Corrections that a list verified, by connection and cause.',
    labelNames: [...objectLabelNames, 'cause'],
    registers,
  });
  const connectionReady = new Gauge({
    name: 'rolealerts_connection_ready',
    help: '1 while the connection is ready, 0 otherwise.',
    labelNames: objectLabelNames,
    registers,
  });
  const lastList = new Gauge({
    name: 'rolealerts_connection_last_answer_timestamp_seconds',
    help: 'Unix time of the last complete list through the connection.',
    labelNames: objectLabelNames,
    registers,
  });
  const lastFullRound = new Gauge({
    name: 'rolealerts_connection_last_full_round_timestamp_seconds',
    help: 'Unix time at which every scope of the connection had been tried since the time before. Absent until then.',
    labelNames: objectLabelNames,
    registers,
  });
  const writes = new Counter({
    name: 'rolealerts_status_writes_total',
    help: 'Statuses written, by kind of object.',
    labelNames: ['kind'],
    registers,
  });
  const abandoned = new Counter({
    name: 'rolealerts_abandoned_dismissals_total',
    help: 'Alerts that may stay inactive because the namespace of their connection was deleted before the service showed them active.',
    registers,
  });
  return {
    reconcileEnded(result, durationMs) {
      reconciles.inc({ controller: controllerName, result });
      if (result === 'failed' || result === 'error' || result === 'unverified')
        errors.inc({ controller: controllerName });
      reconcileSeconds.observe({ controller: controllerName }, durationMs / 1000);
    },
    actionEnded: (connection, direction, result) => actions.inc({ ...labelsOf(connection), direction, result }),
    correctionSeen: (connection, cause) => corrections.inc({ ...labelsOf(connection), cause }),
    connectionSeen(connection, health, failure) {
      connectionReady.set(labelsOf(connection), health === 'Connected' ? 1 : 0);
      if (!failure) lastList.set(labelsOf(connection), clock.now() / 1000);
    },
    roundCompleted: (connection) => lastFullRound.set(labelsOf(connection), clock.now() / 1000),
    connectionForgotten(connection) {
      const labels = labelsOf(connection);
      for (const gauge of [connectionReady, lastList, lastFullRound]) gauge.remove(labels);
      for (const cause of actionCauses) corrections.remove({ ...labels, cause });
      for (const direction of ['activate', 'deactivate']) {
        for (const result of ['sent', 'failed']) actions.remove({ ...labels, direction, result });
      }
    },
    statusWritten: (kind) => writes.inc({ kind }),
    dismissalsAbandoned: (count) => abandoned.inc(count),
  };
}

/** `key`: `namespace/name`. */
function labelsOf(key: string) {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}
