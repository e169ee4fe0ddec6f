// The metrics of the operator: controller-runtime's names where it has them, the prefix `rolealerts_` otherwise. Labels
// are bounded to existing connections and policies; the series of a deleted object disappear with it.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { RequestSample } from '../alert-client/client.ts';
import type { Observer } from '../controller/ports.ts';
import type { DropCause } from '../kube/send-event.ts';
import type { TransportObserver } from '../kube/transport.ts';
import { actionCauses } from '../plan/memory.ts';

export interface Metrics {
  readonly registry: Registry;
  readonly observer: Observer;
  readonly onServiceRequest: (sample: RequestSample) => void;
  readonly onEventDropped: (cause: DropCause) => void;
  readonly transport: TransportObserver;
  readonly onWatchFailure: (resource: string, code: string) => void;
  readonly onLeading: (lease: string, isLeading: boolean) => void;
}

const controllerName = 'rolealertpolicy';
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Calls `load` at every scrape. `ownsProcess`: adds the metrics of the process itself. */
export function createMetrics(load: () => { depth: number; active: number }, ownsProcess: boolean): Metrics {
  const registry = new Registry();
  if (ownsProcess) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  addLoadGauges(registers, load);
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
  const leading = new Gauge({
    name: 'leader_election_master_status',
    help: '1 on the replica that holds the leader lease, 0 on the others.',
    labelNames: ['name'],
    registers,
  });
  return {
    registry,
    observer: createObserver(registers),
    onServiceRequest({ operation, outcome, durationMs }) {
      requests.inc({ operation, outcome });
      requestSeconds.observe({ operation }, durationMs / 1000);
    },
    onEventDropped: (cause) => dropped.inc({ cause }),
    transport: { onRequest: ({ verb, code }) => restRequests.inc({ method: verb, code }) },
    onWatchFailure: (resource, code) => watchFailures.inc({ resource, code }),
    onLeading: (name, isLeading) => leading.set({ name }, isLeading ? 1 : 0),
  };
}

function addLoadGauges(registers: Registry[], load: () => { depth: number; active: number }): void {
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
    () => load().depth,
  );
  gauge('controller_runtime_active_workers', 'Active reconciles.', { controller: controllerName }, () => load().active);
}

function createObserver(registers: Registry[]): Observer {
  const reconciles = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by result.',
    labelNames: ['controller', 'result'],
    registers,
  });
  const errors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconciles that failed.',
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
    help: 'PATCHes, by direction and result.',
    labelNames: ['connection', 'direction', 'result'],
    registers,
  });
  const corrections = new Counter({
    name: 'rolealerts_corrections_total',
    help: 'Corrections that a list verified, by cause.',
    labelNames: ['connection', 'cause'],
    registers,
  });
  const connectionReady = new Gauge({
    name: 'rolealerts_connection_ready',
    help: '1 while the connection is ready, 0 otherwise.',
    labelNames: ['connection'],
    registers,
  });
  const lastList = new Gauge({
    name: 'rolealerts_connection_last_answer_timestamp_seconds',
    help: 'Time of the last complete list through the connection.',
    labelNames: ['connection'],
    registers,
  });
  const incidents = new Gauge({
    name: 'rolealerts_policy_incidents',
    help: 'Incidents of the alerts that the policy declares.',
    labelNames: ['policy'],
    registers,
  });
  const drifted = new Gauge({
    name: 'rolealerts_policy_drifted_alerts',
    help: 'Alerts that differ from their desired state.',
    labelNames: ['policy'],
    registers,
  });
  const writes = new Counter({
    name: 'rolealerts_status_writes_total',
    help: 'Statuses written, by kind of object.',
    labelNames: ['kind'],
    registers,
  });
  return {
    reconcileEnded(_connection, result, durationMs) {
      reconciles.inc({ controller: controllerName, result });
      if (result === 'failed' || result === 'error' || result === 'unverified')
        errors.inc({ controller: controllerName });
      reconcileSeconds.observe({ controller: controllerName }, durationMs / 1000);
    },
    actionEnded: (connection, direction, result) => actions.inc({ connection, direction, result }),
    correctionSeen: (connection, cause) => corrections.inc({ connection, cause }),
    connectionSeen(connection, health, failure) {
      connectionReady.set({ connection }, health === 'Connected' ? 1 : 0);
      if (!failure) lastList.setToCurrentTime({ connection });
    },
    connectionForgotten(connection) {
      connectionReady.remove({ connection });
      lastList.remove({ connection });
      for (const direction of ['activate', 'deactivate']) {
        for (const result of ['sent', 'failed']) actions.remove({ connection, direction, result });
      }
      for (const cause of actionCauses) corrections.remove({ connection, cause });
    },
    policySeen(policy, status) {
      incidents.set({ policy }, status.summary?.incidents ?? 0);
      const { declared = 0, inSync = 0 } = status.summary ?? {};
      drifted.set({ policy }, declared - inSync);
    },
    policyForgotten(policy) {
      incidents.remove({ policy });
      drifted.remove({ policy });
    },
    statusWritten: (kind) => writes.inc({ kind }),
  };
}
