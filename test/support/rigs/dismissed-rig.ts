// An operator with many dismissals in force on a real API server, at the default limits.
import { setTimeout as delay } from 'node:timers/promises';

import type { TestContext } from 'vitest';

import { tomorrow } from '../builders/tomorrow.ts';
import type { TestControlPlane } from '../servers/test-control-plane.ts';
import { type OperatorRig, startRig } from './operator-rig.ts';

const alertsPerScope = 10;
/** The defaults of the CRD. */
const limits = { requestsPerHour: 7200, burst: 100, maxConcurrent: 4, requestTimeout: '30s', minInterval: '1m' };

export const pause = async (seconds: number): Promise<void> => delay(seconds * 1000);

/**
 * Connection `prod` with `count` dismissals, ten on each scope. The operator starts with the ledger, as after a restart: at the hourly limit
 * of deactivations 500 would take five hours.
 */
export async function startDismissedRig(
  controlPlane: TestControlPlane,
  { count, onTestFinished }: { readonly count: number; readonly onTestFinished: TestContext['onTestFinished'] },
): Promise<OperatorRig> {
  const alerts = Array.from({ length: Math.min(count, alertsPerScope) }, (_, index) => `A${index}`);
  const scopes = Array.from({ length: Math.ceil(count / alertsPerScope) }, (_, index) => `subscriptions/s${index}`);
  const seeded = alerts.map((name) => ({ name, properties: { isActive: false } }));
  const rig = await startRig(controlPlane, {
    onTestFinished,
    scopes: Object.fromEntries(scopes.map((scope) => [scope, seeded])),
    isStarted: false,
  });
  const until = tomorrow();
  const dismissal = { reason: 'tracked in SEC-1182', maxIncidents: 5, until };
  await rig.createConnection({ spec: { limits } });
  for (const [index, scope] of scopes.entries())
    await rig.createPolicy(`p${index}`, {
      scope,
      alerts: alerts.map((name) => ({ name, state: 'Inactive', dismissal })),
    });
  const since = new Date().toISOString().replace(/\.\d+/, '');
  const dismissals = scopes.flatMap((scope, index) =>
    alerts.map((alert) => ({ scope, alert, policy: `${rig.namespace}/p${index}`, since, until })),
  );
  const path = 'rolealertconnections/prod';
  await rig.send('PATCH', path, { metadata: { finalizers: ['rolealerts.dev/dismissals'] } });
  const { body } = await rig.send('GET', path);
  const status = { ...(body?.status as object), dismissalCount: dismissals.length, dismissals };
  await rig.send('PUT', `${path}/status`, { ...body, status });
  await rig.startOperator();
  await rig.policyIs(`p${scopes.length - 1}`, 'Ready', 'True/Succeeded');
  await rig.connectionIs('prod', 'True/Connected');
  // Until then a PATCH of the operator before may still take effect, so no list ends an entry.
  await pause(120);
  return rig;
}

/** How many of the dismissed alerts are inactive. */
export async function countInactive(rig: OperatorRig, count: number): Promise<number> {
  const flags = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      rig.flag(`subscriptions/s${Math.floor(index / alertsPerScope)}`, `A${index % alertsPerScope}`),
    ),
  );
  return flags.filter((isActive) => isActive === false).length;
}
