// How long the CRDs take to go while dismissals are in force, in both orders of deploy/tasks/uninstall.md, on a real API server. It prints
// the seconds.
import { afterAll, test } from 'vitest';

import { countInactive, pause, startDismissedRig } from '../support/rigs/dismissed-rig.ts';
import type { OperatorRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane, startOwnControlPlane } from '../support/servers/control-plane.ts';
import { installOperator, type TestControlPlane } from '../support/servers/test-control-plane.ts';

const folder = (name: string) => new URL(`../../${name}`, import.meta.url).pathname;
const rows: string[] = [];

async function deleteCrds(controlPlane: TestControlPlane): Promise<void> {
  await controlPlane.kubectl(['delete', '--kustomize', folder('crds'), '--wait=false']);
}

const orders: Readonly<Record<string, (controlPlane: TestControlPlane, rig: OperatorRig) => Promise<void>>> = {
  'the CRDs, while the operator runs': deleteCrds,
  'the CRDs, 30 s before the operator is installed again': async (controlPlane, rig) => {
    await rig.stopOperator();
    await controlPlane.kubectl(['delete', '--kustomize', folder('deploy/base'), '--wait=false']);
    await deleteCrds(controlPlane);
    await pause(30);
    if ((await connections(controlPlane)) === '') throw new Error('the connection is gone without an operator');
    await installOperator(controlPlane);
    await rig.startOperator();
  },
};

const connections = async (controlPlane: TestControlPlane) =>
  (await controlPlane.tryKubectl(['get', 'rac', '-A', '--no-headers'])).stdout.trim();

describeWithControlPlane('an uninstall with dismissals in force', () => {
  afterAll(() => void process.stdout.write(`${rows.join('\n')}\n`));

  const cases = Object.entries(orders).flatMap(([title, act]) => [1, 100].map((count) => ({ title, act, count })));
  test.concurrent.for(cases)('$title, with $count', async ({ title, act, count }, { expect, onTestFinished }) => {
    const controlPlane = await startOwnControlPlane();
    onTestFinished(() => controlPlane.stop());
    await installOperator(controlPlane);
    const rig = await startDismissedRig(controlPlane, { count, onTestFinished });
    const begunMs = performance.now();
    await act(controlPlane, rig);
    let meanwhile = '';
    const left = async () => {
      const listed = await connections(controlPlane);
      if (listed !== '') meanwhile = listed.replace(/\s{2,}/g, ' ');
      return listed;
    };
    await expect.poll(left, { timeout: 800_000, interval: 200 }).toBe('');
    const seconds = (performance.now() - begunMs) / 1000;
    const inactive = await countInactive(rig, count);
    rows.push(`| ${title} | ${count} | ${seconds.toFixed(1)} | ${meanwhile} | ${inactive} |`);
    expect(inactive).toBe(0);
    // What ends the rig asks for the kinds. CRDs that are still being deleted accept an apply and go all the same.
    await controlPlane.kubectl(['delete', '--kustomize', folder('crds'), '--ignore-not-found', '--timeout=5m']);
    await installOperator(controlPlane);
    const served = () => controlPlane.tryKubectl(['get', 'rap,rac,crac', '-A']);
    await expect.poll(served).toMatchObject({ exitCode: 0 });
  });
});
