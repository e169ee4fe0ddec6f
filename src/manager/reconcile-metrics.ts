// The metrics of reconciles, connections and policies. The series of a deleted object disappear with it.
import { Gauge, Histogram, type Registry } from 'prom-client';

import type { Observer } from '../controller/ports.ts';
import { createScrapeCounter, createScrapeGauge } from './scrape-metrics.ts';

export const controllerName = 'rolealertpolicy';
export const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The observer that the controller reports to. */
export function createObserver(registers: Registry[]): Observer {
  const reconciles = createScrapeCounter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by result: unchanged, corrected, unverified, failed (the service), error (the API server or a bug), skipped.',
    labelNames: ['controller', 'result'],
    registers,
  });
  const errors = createScrapeCounter({
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
  const actions = createScrapeCounter({
    name: 'rolealerts_actions_total',
    help: 'PATCHes, by direction and result.',
    labelNames: ['connection', 'direction', 'result'],
    registers,
  });
  const corrections = createScrapeCounter({
    name: 'rolealerts_corrections_total',
    help: 'Corrections that a list verified, by cause.',
    labelNames: ['connection', 'cause'],
    registers,
  });
  const connectionReady = createScrapeGauge({
    name: 'rolealerts_connection_ready',
    help: '1 while the connection is ready, 0 otherwise.',
    labelName: 'connection',
    registers,
  });
  const lastList = new Gauge({
    name: 'rolealerts_connection_last_answer_timestamp_seconds',
    help: 'Time of the last complete list through the connection.',
    labelNames: ['connection'],
    registers,
  });
  const incidents = createScrapeGauge({
    name: 'rolealerts_policy_incidents',
    help: 'Incidents of the alerts that the policy declares.',
    labelName: 'policy',
    registers,
  });
  const drifted = createScrapeGauge({
    name: 'rolealerts_policy_drifted_alerts',
    help: 'Declared alerts that are not in sync, including those that the service does not list.',
    labelName: 'policy',
    registers,
  });
  const writes = createScrapeCounter({
    name: 'rolealerts_status_writes_total',
    help: 'Statuses written, by kind of object.',
    labelNames: ['kind'],
    registers,
  });
  return {
    reconcileEnded(_connection, result, durationMs) {
      reconciles.count(controllerName, result);
      if (result === 'failed' || result === 'error' || result === 'unverified') errors.count(controllerName);
      reconcileSeconds.observe({ controller: controllerName }, durationMs / 1000);
    },
    actionEnded: (connection, direction, result) => actions.count(connection, direction, result),
    correctionSeen: (connection, cause) => corrections.count(connection, cause),
    connectionSeen(connection, health, failure) {
      connectionReady.set(connection, health === 'Connected' ? 1 : 0);
      if (!failure) lastList.setToCurrentTime({ connection });
    },
    connectionForgotten(connection) {
      lastList.remove({ connection });
      for (const metric of [connectionReady, actions, corrections]) metric.forget(connection);
    },
    policySeen(policy, status) {
      incidents.set(policy, status.summary?.incidents ?? 0);
      const { declared = 0, inSync = 0 } = status.summary ?? {};
      drifted.set(policy, declared - inSync);
    },
    policyForgotten(policy) {
      incidents.forget(policy);
      drifted.forget(policy);
    },
    statusWritten: (kind) => writes.count(kind),
  };
}
