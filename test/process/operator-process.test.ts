// The program as a process: its endpoints while it runs, its end on a signal, and what it recovers after
// it was killed in the middle of a correction.
import { expect, test } from 'vitest';

import { renderKubeconfig, writePrivateFile } from '../../src/local/control-plane-programs.ts';
import { tomorrow } from '../support/builders/tomorrow.ts';
import { canariesIn } from '../support/checks/canaries.ts';
import { startOperatorProcess } from '../support/rigs/operator-process.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { runHere } from '../support/rigs/program.ts';
import { startConnectProxy } from '../support/servers/connect-proxy.ts';
import { describeWithControlPlane, eventually } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/process-1';
const alert = 'TooManyOwnersAssignedToResource';
const scopes = { [scope]: [{ name: alert, properties: { isActive: false } }] };
const active = { scope, alerts: [{ name: alert, state: 'Active' }] };

const canaryProxy = 'canary-of-the-proxy';

const status = async (url: string) => (await fetch(url)).status;

describeWithControlPlane('the controller as a process', (controlPlane) => {
  const start = (rig: OperatorRig, ...more: string[]) =>
    startOperatorProcess(['--kubeconfig', controlPlane.kubeconfigPath, '--watch-namespaces', rig.namespace, ...more]);

  /** It has received SIGTERM while a PATCH has no response, until `letGo`. */
  async function startTerminated() {
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    rig.proxy.intercept = async ({ kind }) => {
      if (kind !== 'patch') return undefined;
      held.resolve();
      await gate.promise;
      return undefined;
    };
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    const operator = await start(rig);
    await held.promise;
    operator.child.kill('SIGTERM');
    return { rig, operator, letGo: () => gate.resolve() };
  }

  test('it answers its probes, serves its metrics, corrects, and ends with 0 on SIGTERM', async () => {
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    const operator = await start(rig);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    expect(await status(`${operator.probesURL}/livez`)).toBe(200);
    expect(await status(`${operator.probesURL}/readyz`)).toBe(200);
    expect(await status(`${operator.probesURL}/other`)).toBe(404);
    // The status of the policy is written before the reconcile ends.
    const metrics = await eventually('the end of the reconcile', async () => {
      const text = await (await fetch(`${operator.metricsURL}/metrics`)).text();
      return /^controller_runtime_reconcile_total\{.*result="corrected"\} 1$/m.test(text) ? text : undefined;
    });
    expect(metrics).toContain(`rolealerts_connection_ready{namespace="${rig.namespace}",name="prod"} 1`);
    expect(metrics).toMatch(/^process_resident_memory_bytes \d+$/m);
    operator.child.kill('SIGTERM');
    expect(await operator.ended).toBe(0);
    expect(operator.lines().at(-1)).toContain('"msg":"stopped"');
    expect(canariesIn(`${operator.lines().join('\n')}\n${metrics}`)).toEqual([]);
  });

  test('it reaches the service through the proxy of its environment, and the API server without it', async () => {
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    await using proxy = await startConnectProxy({ targetPort: Number(new URL(rig.proxy.url).port) });
    await rig.createConnection({ spec: { endpoint: { baseURL: 'http://alerts.example' } } });
    await rig.createPolicy('owners', active);
    const url = `http://user:${canaryProxy}@127.0.0.1:${proxy.port}`;
    const args = ['--kubeconfig', controlPlane.kubeconfigPath, '--watch-namespaces', rig.namespace];
    const operator = await startOperatorProcess(args, { environment: { HTTP_PROXY: url, HTTPS_PROXY: url } });
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    expect(new Set(proxy.asked)).toEqual(new Set(['alerts.example:80']));
    const log = operator.lines().join('\n');
    expect(log).toContain(`"httpProxy":"http://127.0.0.1:${proxy.port}"`);
    expect(log).not.toContain(canaryProxy);
    await proxy.stop();
    await rig.requestReconcile('owners');
    await rig.connectionIs('prod', 'False/Unreachable');
    const unreachable = `the proxy 127.0.0.1:${proxy.port} cannot be reached (the connection was refused)`;
    // The first failure, which the event has, may be that of a socket which the proxy has just closed.
    const events = await eventually('the event', async () => {
      const text = (await rig.events()).join('\n');
      return text.includes('Unreachable prod') ? text : undefined;
    });
    await eventually('the cause', () => operator.lines().some((line) => line.includes(unreachable)) || undefined);
    expect(`${events}${operator.lines().join('\n')}`).not.toContain(canaryProxy);
  });

  test('SIGTERM in the middle of a PATCH: not ready at once, the write finished, proven and recorded, then 0', async () => {
    const { rig, operator, letGo } = await startTerminated();
    await eventually('not ready', async () =>
      (await status(`${operator.probesURL}/readyz`)) === 503 ? true : undefined,
    );
    expect(await status(`${operator.probesURL}/livez`)).toBe(200);
    letGo();
    expect(await operator.ended).toBe(0);
    expect([rig.proxy.count('patch'), rig.proxy.count('list')]).toEqual([1, 2]);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    const events = await rig.events();
    expect(events.filter((event) => event.startsWith('DriftCorrected owners'))).toHaveLength(1);
  });

  test('a second signal ends it at once with 1', async () => {
    const { operator, letGo } = await startTerminated();
    await eventually('stopping', () => operator.lines().find((line) => line.includes('"msg":"stopping"')));
    operator.child.kill('SIGINT');
    expect(await operator.ended).toBe(1);
    letGo();
  });

  test('killed between a dismissing PATCH and its response, the next one activates what no policy declares any more', async () => {
    const rig = await startRig(controlPlane, {
      scopes: { [scope]: [{ name: alert, properties: { isActive: true } }] },
      isStarted: false,
    });
    const patched = Promise.withResolvers<void>();
    rig.proxy.intercept = async ({ kind }) => {
      if (kind !== 'patch') return undefined;
      await rig.turn(scope, alert, false);
      patched.resolve();
      return true;
    };
    await rig.createConnection();
    const dismissal = { reason: 'tracked in SEC-1182', maxIncidents: 9, until: tomorrow() };
    await rig.createPolicy('quiet', { scope, alerts: [{ name: alert, state: 'Inactive', dismissal }] });
    const first = await start(rig);
    await patched.promise;
    first.child.kill('SIGKILL');
    await first.ended;
    rig.proxy.intercept = () => undefined;
    await rig.deletePolicy('quiet');
    await start(rig);
    await rig.flagBecomes(scope, alert, true);
  });

  test('the log alone names version, options, objects, conditions and events, and is silent in steady state', async () => {
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    await rig.createConnection();
    await rig.createConnection({ name: 'broken', spec: { auth: { tokenSecretRef: { name: 'mine', key: 'token' } } } });
    await rig.createPolicy('owners', active);
    await rig.createPolicy('lost', { ...active, scope: `${scope}-lost`, connectionRef: { name: 'broken' } });
    const operator = await start(rig, '--interval=1h');
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    await rig.policyIs('lost', 'Ready', 'False/ConnectionNotReady');
    await rig.connectionIs('broken', 'False/SecretNotFound');
    const parsed = () => operator.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
    const about = (name: string, msg: string) =>
      parsed().filter((line) => line['name'] === name && line['msg'] === msg);
    const object = { level: 'info', namespace: rig.namespace };
    const secret = `Secret ${rig.namespace}/mine`;
    // The lines follow the write that the status shows; the event is the last one.
    await eventually('the event of the correction', () => about('owners', 'event emitted')[0]);
    await eventually('the conditions of the connection', () => about('broken', 'condition changed')[1]);
    await eventually('its failed reconcile', () => about('broken', 'reconcile failed')[0]);

    for (const { level, time } of parsed()) {
      expect(['debug', 'info', 'warn']).toContain(level);
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    expect(parsed()[0]).toMatchObject({
      msg: 'starting',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      commit: expect.stringMatching(/^[0-9a-f]{40}|^unknown$/),
      node: process.version,
      options: { interval: '1h0m0s', 'allow-http': true, 'watch-namespaces': [rig.namespace] },
    });
    expect(about('owners', 'event emitted')).toMatchObject([{ ...object, reason: 'DriftCorrected' }]);
    expect(about('owners', 'condition changed')).toContainEqual(
      expect.objectContaining({
        ...object,
        kind: 'RoleAlertPolicy',
        type: 'Ready',
        status: 'True',
        reason: 'Succeeded',
      }),
    );
    const broken = about('broken', 'condition changed');
    expect(broken).toMatchObject([
      { level: 'warn', type: 'Ready', status: 'False', reason: 'SecretNotFound' },
      { level: 'info', type: 'Capacity', status: 'True', reason: 'BudgetSufficient' },
    ]);
    expect(broken[0]?.['message']).toMatch(new RegExp(`^${secret}, key token: `));
    expect(about('broken', 'reconcile failed')[0]).toMatchObject({ level: 'warn', error: `${secret} does not exist.` });

    const changed = about('owners', 'condition changed').length;
    await rig.reconcileNow('owners');
    operator.child.kill('SIGTERM');
    expect(await operator.ended).toBe(0);
    expect(about('owners', 'condition changed')).toHaveLength(changed);
  });

  test('without an API server it lives, is not ready, and ends with 0 when it is asked to', async () => {
    const kubeconfig = `${controlPlane.scratchDirectory}/dead-kubeconfig`;
    const { certificateAuthority, adminToken: token } = controlPlane;
    await writePrivateFile(kubeconfig, renderKubeconfig({ url: 'https://127.0.0.1:9', certificateAuthority, token }));
    const operator = await startOperatorProcess(['--kubeconfig', kubeconfig]);
    await eventually('a try that failed', () => operator.lines().find((line) => line.includes('"level":"warn"')));
    expect(await status(`${operator.probesURL}/livez`)).toBe(200);
    expect(await status(`${operator.probesURL}/readyz`)).toBe(503);
    operator.child.kill('SIGTERM');
    expect(await operator.ended).toBe(0);
  });

  test('it does not start with TLS verification switched off, nor with a proxy that it cannot use', async () => {
    const refused = [
      [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, /switches off TLS verification/],
      [{ HTTPS_PROXY: 'socks5://127.0.0.1:1' }, /^rolealerts: HTTPS_PROXY needs a proxy/],
    ] as const;
    for (const [environment, sentence] of refused) {
      const { code, stderr } = await runHere(['controller'], { environment });
      expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringMatching(sentence) });
    }
  });

  test('it does not start on an address that is taken', async () => {
    const rig = await startRig(controlPlane, { scopes });
    const { host } = new URL(rig.manager.probesURL ?? '');
    const operator = await start(rig, `--metrics-bind-address=${host}`);
    expect(await operator.ended).toBe(1);
    const [starting, ...rest] = operator.lines();
    expect(starting).toContain('"msg":"starting"');
    expect(rest).toEqual([`rolealerts: Cannot listen on ${host}: listen EADDRINUSE: address already in use ${host}.`]);
  });
});
