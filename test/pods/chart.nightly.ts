// The chart as a release on a real node: its default values, a correction, an uninstall that keeps the policies, and the next installation.
import { beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { readBuildFacts } from '../../src/lib/build-facts.ts';
import { describeWithPods } from '../support/pods/describe-pods.ts';
import { type RunLines, shellOf } from '../support/pods/page-shell.ts';
import {
  alertIsActive,
  connectAlertsService,
  deactivateAlert,
  inOperator,
  inService,
  isReady,
  operatorNamespace,
  operatorPods,
  patchCount,
  requestReconcile,
  rolledOut,
  serviceNamespace,
} from '../support/pods/pods.ts';
import { blocksOf, readPage } from '../support/rigs/page-blocks.ts';
import { buildHelm } from '../tools/conformance/helm.ts';

interface Manifest {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
}

const [install = '', uninstall = ''] = ['install', 'uninstall'].flatMap((task) =>
  blocksOf(readPage(`deploy/tasks/${task}.md`), 'helm'),
);
// A Service has a private address, to which the operator sends no tokens by default.
const allowPrivate = `helm upgrade rolealerts deploy/helm/rolealerts --namespace ${operatorNamespace} --reuse-values --set 'extraArgs={--allow-private-endpoints}'`;

describeWithPods('the chart as a release', (cluster) => {
  let run: RunLines;
  beforeAll(async () => {
    const homes = ['CACHE', 'CONFIG', 'DATA'].map((each) => `HELM_${each}_HOME='${cluster.scratchDirectory}'`);
    const helm = `${homes.join(' ')} exec nsenter --target "$NODE" --net -- '${await buildHelm()}' "$@"`;
    run = shellOf(cluster, { helm });
    const { version } = readBuildFacts();
    // Under the name in the page, and for the service under the one in its manifests.
    await run(['REGISTRY', 'docker.io/library'].map((from) => `docker push ${from}/rolealerts:${version}`));
  });
  /** Of the custom resources, the connection and the policy. */
  const uids = async () => {
    const kinds = 'customresourcedefinitions,rolealertconnections,rolealertpolicies';
    const { items } = await cluster.kubectlJson<{ items: Manifest[] }>(['get', kinds, ...inService]);
    return items.map(({ metadata }) => [metadata.name, metadata.uid]);
  };

  test('the default values install two replicas that become Ready under the restricted level', async () => {
    await run([install]);
    await rolledOut(cluster, operatorNamespace, 'rolealerts');
    expect((await operatorPods(cluster)).map(isReady)).toEqual([true, true]);
  });

  test('a policy becomes Ready, and a drift is corrected', async () => {
    await run([allowPrivate]);
    const rendered = parseAllDocuments(await cluster.kubectl(['kustomize', 'deploy/alerts-service']));
    const ofService = rendered
      .map((document) => document.toJS() as Manifest)
      .filter(({ metadata: { name, namespace = name } }) =>
        [serviceNamespace, 'rolealerts-scanner'].includes(namespace),
      );
    const input = ofService.map((each) => JSON.stringify(each)).join('\n---\n');
    await cluster.kubectl(['apply', '--server-side', '--filename', '-'], { input });
    await connectAlertsService(cluster);
    const before = await patchCount(cluster);
    await deactivateAlert(cluster);
    await requestReconcile(cluster);
    await alertIsActive(cluster);
    expect(await patchCount(cluster)).toBe(before + 2);
  });

  test('an uninstall keeps the policy, and the next installation corrects what drifted meanwhile', async () => {
    const before = await uids();
    expect(before).toHaveLength(5);
    await run([uninstall]);
    await cluster.kubectl(['wait', ...inOperator, '--for=delete', 'pods', '--all', '--timeout=5m']);
    expect(await uids()).toEqual(before);
    const patches = await patchCount(cluster);
    await deactivateAlert(cluster);

    await run([install, allowPrivate]);
    await alertIsActive(cluster);
    expect(await patchCount(cluster)).toBe(patches + 2);
    expect(await uids()).toEqual(before);
  });
});
