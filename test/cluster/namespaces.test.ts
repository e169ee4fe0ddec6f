// A namespace that holds policies, a connection, its Secret and a ledger can be deleted in any order: nothing of ours blocks it, and the
// alerts are active again.
import { expect, test, type TestContext } from 'vitest';

import { seededRandom } from '../../src/lib/random.ts';
import { tomorrow } from '../support/builders/tomorrow.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane, eventually } from '../support/servers/control-plane.ts';

const alert = { name: 'A', properties: { isActive: true } };
const dismissal = { reason: 'tracked in SEC-1182', maxIncidents: 5, until: tomorrow() };

describeWithControlPlane('a namespace that is deleted', (controlPlane) => {
  async function populated(onTestFinished: TestContext['onTestFinished']): Promise<OperatorRig> {
    const scopes = Object.fromEntries([1, 2, 3].map((index) => [`subscriptions/namespaces-${index}`, [alert]]));
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    for (const scope of Object.keys(scopes)) {
      const name = scope.replace('subscriptions/', '');
      await rig.createPolicy(name, { scope, interval: '5s', alerts: [{ name: 'A', state: 'Inactive', dismissal }] });
    }
    for (const scope of Object.keys(scopes)) await rig.flagBecomes(scope, 'A', false);
    return rig;
  }

  const isGone = ({ namespace }: OperatorRig) =>
    eventually('the end of the namespace', async () => {
      const left = await controlPlane.kubectl(['get', 'namespace', namespace, '--ignore-not-found', '--output=name']);
      return left.trim() === '' ? true : undefined;
    });

  const seeds = [1, Date.now() % 1_000_000];
  test.concurrent.for(seeds)(
    'is gone within a minute, whatever goes first (order %i)',
    async (seed, { onTestFinished }) => {
      const rig = await populated(onTestFinished);
      const random = seededRandom(seed);
      const acts = [
        () => rig.deletePolicy('namespaces-1'),
        () => rig.deletePolicy('namespaces-2'),
        () => rig.deleteConnection('prod'),
        () => rig.deleteSecret('credentials'),
      ]
        .map((act) => ({ act, at: random.next() }))
        .sort((a, b) => a.at - b.at)
        .slice(0, Math.floor(random.next() * 5));
      for (const { act } of acts) await act();
      await controlPlane.kubectl(['delete', 'namespace', rig.namespace, '--wait=false']);
      await isGone(rig);
      for (const index of [1, 2, 3]) expect(await rig.flag(`subscriptions/namespaces-${index}`, 'A')).toBe(true);
    },
  );

  test.concurrent('waits for a service that is away, and then names what is left', async ({ onTestFinished }) => {
    const rig = await populated(onTestFinished);
    rig.proxy.intercept = (_, response) => {
      response.writeHead(503).end();
      return true;
    };
    await controlPlane.kubectl(['delete', 'namespace', rig.namespace, '--wait=false']);
    await isGone(rig);
    const events = await eventually('the events', async () => {
      const { items } = await controlPlane.kubectlJson<{ items: { note: string; regarding: { name: string } }[] }>([
        'get',
        'events.events.k8s.io',
        '--namespace=default',
        '--field-selector=reason=DismissalsAbandoned',
      ]);
      const own = items.filter(({ regarding }) => regarding.name === rig.namespace);
      return own.length === 3 ? own : undefined;
    });
    expect(events.map(({ note }) => note).join(' ')).toContain('Alert A of scope subscriptions/namespaces-1');
    const said = (rig.lines as string[]).splice(0).filter((line) => line.includes('"level":"error"'));
    expect(said.join('')).toContain('dismissals abandoned, their namespace is being deleted');
    expect(await rig.metric('rolealerts_abandoned_dismissals_total')).toBe(3);
  });
});
