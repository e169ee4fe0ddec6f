// The metrics of reconciles and of what they report about connections. The series of a deleted object disappear with it.
import { Histogram, type Registry } from 'prom-client';

import type { Observer } from '../controller/ports.ts';
import type { Clock } from '../lib/clock.ts';
import { createObjectCounter, createObjectGauge, createScrapeCounter } from './scrape-metrics.ts';

export const controllerName = 'rolealertpolicy';
export const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The observer that the controller reports to. */
export function createObserver(registers: Registry[], clock: Clock): Observer {
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
  const actions = createObjectCounter({
    name: 'rolealerts_actions_total',
    help: 'PATCHes, by connection, direction and result.',
    labelNames: ['direction', 'result'],
    registers,
  });
  const corrections = createObjectCounter({
    name: 'rolealerts_corrections_total',
    help: 'Corrections that a list verified, by connection and cause.',
    labelNames: ['cause'],
    registers,
  });
  const connectionReady = createObjectGauge({
    name: 'rolealerts_connection_ready',
    help: '1 while the connection is ready, 0 otherwise.',
    registers,
  });
  const lastList = createObjectGauge({
    name: 'rolealerts_connection_last_answer_timestamp_seconds',
    help: 'Unix time of the last complete list through the connection.',
    registers,
  });
  const lastFullRound = createObjectGauge({
    name: 'rolealerts_connection_last_full_round_timestamp_seconds',
    help: 'Unix time at which the service had last answered for every scope of the connection that does not fail alone. Absent until then.',
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
      if (!failure) lastList.set(connection, clock.now() / 1000);
    },
    roundCompleted: (connection) => lastFullRound.set(connection, clock.now() / 1000),
    connectionForgotten(connection) {
      for (const metric of [connectionReady, lastList, lastFullRound, actions, corrections]) metric.forget(connection);
    },
    statusWritten: (kind) => writes.count(kind),
  };
}
