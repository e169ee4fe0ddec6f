// The metrics of reconciles and of what they report about connections. The series of a deleted object disappear with it.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import type { Clock } from '../../lib/clock.ts';
import { actionCauses } from '../decide/memory.ts';
import type { Observer } from '../ports.ts';
import { objectLabelNames } from './object-metrics.ts';

export const controllerName = 'rolealertpolicy';
export const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The observer that the controller reports to. */
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
