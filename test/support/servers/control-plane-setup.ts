// One control plane for all tests of a run that need one (tiers `cluster` and `process`), started before the first. The operator is
// installed there, and nothing cluster-scoped can be written any more. Without one those tests are skipped with the reason; in CI the run
// fails instead.
import type { TestProject } from 'vitest/node';

import { messageOf } from '../../../src/lib/errors.ts';
import { startControlPlane, type ControlPlane } from '../../../src/local/control-plane.ts';
import { runsTier } from '../gate/tiers.ts';
import { until } from '../rigs/until.ts';
import { foundBinaries } from './found-binaries.ts';
import { installOperator, testControlPlane, type TestControlPlane } from './test-control-plane.ts';

/** What tests learn of the control plane of their run. Plain data: it crosses a process boundary. */
export type ProvidedControlPlane =
  | {
      readonly url: string;
      readonly kubeconfigPath: string;
      readonly kubectlPath: string;
      readonly dataDirectory: string;
      readonly certificateAuthority: string;
      readonly adminToken: string;
    }
  | { readonly whyNot: string };

declare module 'vitest' {
  // Merging with vitest's own interface is the documented way to type `provide` and `inject`.
  export interface ProvidedContext {
    controlPlane: ProvidedControlPlane;
  }
}

const isCi = process.env['CI'] === 'true';

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!runsTier(project, ['cluster', 'process'])) return undefined;
  const started = await start().catch((error: unknown) => {
    if (isCi) throw error;
    project.provide('controlPlane', { whyNot: messageOf(error) });
  });
  if (!started) return undefined;
  await prepare(testControlPlane(started));
  const { url, kubeconfigPath, kubectlPath, dataDirectory, certificateAuthority } = started;
  const adminToken = started.adminToken.reveal();
  const provided = { url, kubeconfigPath, kubectlPath, dataDirectory, certificateAuthority, adminToken };
  project.provide('controlPlane', provided);
  return () => started.stop();
}

async function start(): Promise<ControlPlane & { readonly kubectlPath: string }> {
  const { machine, binaries } = await foundBinaries();
  if (isCi && binaries.kubeControllerManager === undefined) throw new Error('CI needs kube-controller-manager');
  return { ...(await startControlPlane({ machine, binaries })), kubectlPath: binaries.kubectl };
}

async function prepare(controlPlane: TestControlPlane): Promise<void> {
  const refusal = new URL('../../fixtures/control-plane/no-cluster-scoped-writes.yaml', import.meta.url);
  await installOperator(controlPlane);
  await controlPlane.kubectl(['apply', '-f', refusal.pathname]);
  // The API server learns of the rule from its watches.
  const attempt = ['create', 'clusterrole', 'tried', '--verb=get', '--resource=pods'];
  await until(
    async () => (await controlPlane.tryKubectl(attempt)).stderr.includes('no-cluster-scoped-writes'),
    attempt.join(' '),
  );
}
