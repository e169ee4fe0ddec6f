// The metrics of reconciles, connections and policies. The series of a deleted object disappear with it.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import type { Observer } from '../controller/ports.ts';
import { actionCauses } from '../plan/memory.ts';

export const controllerName = 'rolealertpolicy';
export const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The observer that the controller reports to. */
export function createObserver(registers: Registry[]): Observer {
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
    help: 'Declared alerts that are not in sync, including those that the service does not list.',
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
