// Two real replicas on a real API server, killed, stopped, frozen and cut off under a stream of edits and drifts. When it is over
// nothing is lost, and nothing was doubled beyond a harmless repeat.
//   ROLEALERTS_CHAOS_SECONDS   how long (default 30)      ROLEALERTS_CHAOS_SEED   replays a sequence
import { expect, test } from 'vitest';

import { seededRandom } from '../../src/lib/random.ts';
import { renderKubeconfig, writePrivateFile } from '../../src/local/control-plane-programs.ts';
import { type OperatorProcess, startOperatorProcess } from '../support/rigs/operator-process.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';
import { startTcpProxy, tcpModes } from '../support/servers/tcp-proxy.ts';

const seconds = Number(process.env['ROLEALERTS_CHAOS_SECONDS'] ?? 30);
const seed = Number(process.env['ROLEALERTS_CHAOS_SEED'] ?? Date.now() % 1_000_000);
const names = ['A', 'B', 'C'];
const scopes = [1, 2, 3, 4].map((index) => `subscriptions/chaos-${index}`);
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describeWithControlPlane('the controller as several processes', (controlPlane) => {
  const seeded = Object.fromEntries(
    scopes.map((scope) => [scope, names.map((name) => ({ name, properties: { isActive: name !== 'A' } }))]),
  );

  const start = (rig: OperatorRig, kubeconfig: string) =>
    startOperatorProcess([
      '--kubeconfig',
      kubeconfig,
      '--watch-namespaces',
      rig.namespace,
      '--leader-elect=true',
      '--leader-election-namespace',
      rig.namespace,
    ]);

  test(`nothing is lost in ${seconds} s of kills, stops, cuts, edits and drifts (seed ${seed})`, async () => {
    const rig = await startRig(controlPlane, { scopes: seeded, isStarted: false });
    const random = seededRandom(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;
    const counts = { kills: 0, terminations: 0, freezes: 0, cuts: 0, edits: 0, drifts: 0 };
    const toService = await startTcpProxy(() => addressOf(rig.proxy.url));
    const toCluster = await startTcpProxy(() => addressOf(controlPlane.url));
    const kubeconfig = `${controlPlane.scratchDirectory}/chaos-${rig.namespace}.kubeconfig`;
    const { certificateAuthority, adminToken: token } = controlPlane;
    await writePrivateFile(
      kubeconfig,
      renderKubeconfig({ url: `https://127.0.0.1:${toCluster.port}`, certificateAuthority, token }),
    );
    const baseURL = `http://127.0.0.1:${toService.port}`;
    await rig.createConnection({
      spec: { endpoint: { baseURL }, limits: { requestTimeout: '3s', minInterval: '5s' } },
    });
    for (const [index, scope] of scopes.entries()) {
      await rig.createPolicy(`policy-${index}`, { scope, interval: '5s', alerts: declared() });
    }
    let replicas = [await start(rig, kubeconfig), await start(rig, kubeconfig)];

    function declared(): object[] {
      return names.map((name) => ({ name, state: 'Active' }));
    }
    async function restart(operator: OperatorProcess): Promise<void> {
      await operator.ended;
      replicas = [...replicas.filter((each) => each !== operator), await start(rig, kubeconfig)];
    }
    const acts: Readonly<Record<keyof typeof counts, () => Promise<void> | void>> = {
      kills: async () => {
        const operator = pick(replicas);
        operator.child.kill('SIGKILL');
        await restart(operator);
      },
      terminations: async () => {
        const operator = pick(replicas);
        operator.child.kill('SIGTERM');
        await restart(operator);
      },
      freezes: async () => {
        const operator = pick(replicas);
        operator.child.kill('SIGSTOP');
        await wait(500 + random.next() * 2000);
        operator.child.kill('SIGCONT');
      },
      cuts: async () => {
        const proxy = pick([toService, toCluster]);
        proxy.mode = pick(tcpModes);
        await wait(300 + random.next() * 2500);
        proxy.mode = 'pass';
      },
      edits: () =>
        rig.editPolicy(`policy-${Math.floor(random.next() * scopes.length)}`, { interval: pick(['5s', '6s', '7s']) }),
      drifts: () => rig.turn(pick(scopes), pick(names), false),
    };
    const deck: readonly (keyof typeof counts)[] = [
      'kills',
      'terminations',
      'freezes',
      'cuts',
      'cuts',
      'edits',
      'edits',
      'edits',
      'drifts',
      'drifts',
      'drifts',
    ];

    const endMs = performance.now() + seconds * 1000;
    while (performance.now() < endMs) {
      const act = pick(deck);
      counts[act]++;
      await acts[act]();
      // One that lost its Lease while it was cut off has ended itself.
      for (const operator of replicas) if (operator.child.exitCode !== null) await restart(operator);
      await wait(random.next() * 500);
    }
    // Until a replica leads again, which takes as long as a Lease lasts, every status keeps its old content.
    await rig.reconcileNow('policy-0');
    for (const index of scopes.keys()) await rig.policyIs(`policy-${index}`, 'Ready', 'True/Succeeded');
    for (const scope of scopes) for (const name of names) await rig.flagBecomes(scope, name, true);
    const patches = rig.proxy.count('patch');
    // Activated, and never off: each PATCH repeats at most what a drift or the first reconcile made necessary.
    expect(rig.proxy.requests.filter(({ kind, body }) => kind === 'patch' && body.includes('false'))).toEqual([]);
    expect(patches).toBeLessThanOrEqual(
      scopes.length + 2 * counts.drifts + 2 * (counts.kills + counts.cuts + counts.terminations),
    );
    const settled = rig.proxy.count('patch');
    await rig.reconcileNow('policy-0');
    expect(rig.proxy.count('patch')).toBe(settled);
    console.log(`chaos with seed ${seed}: ${JSON.stringify({ ...counts, patches })}`);
    await Promise.all([toService.stop(), toCluster.stop()]);
  });
});

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
