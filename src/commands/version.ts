// `rolealerts version` and `rolealerts --version`: what to quote in a report of a problem.
import { readBuildFacts } from '../lib/build-facts.ts';
import { systemClock, within } from '../lib/clock.ts';
import { UsageError } from '../lib/command-errors.ts';
import { isCoded, messageOf } from '../lib/errors.ts';
import type { Values } from '../lib/options/option.ts';
import { switchOption } from '../lib/options/text.ts';
import { NoKubeconfigError } from '../operator/kube/kubeconfig.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import type { Host } from './host.ts';
import { outputOption } from './options/output-option.ts';
import { operatorNamespaceOption, viewerOptions } from './options/viewer-options.ts';
import { type ClusterVersion, versionJson, versionText } from './report/version-text.ts';

export const versionOptions = {
  client: switchOption({ flag: 'client', description: 'Show this program only, and ask no cluster.' }),
  context: viewerOptions.context,
  kubeconfig: viewerOptions.kubeconfig,
  operatorNamespace: operatorNamespaceOption,
  output: outputOption(['text', 'json']),
};

/** A cluster that does not answer must not delay a command that people use to find out why. */
const clusterDeadlineMs = 3000;

export const versionCommand = defineCommand({
  name: 'version',
  description: descriptions.version,
  more: `With a kubeconfig it also shows the cluster: Kubernetes, the CRDs compared with those of this program, and the image of the
operator; the exit code does not depend on it. --version and -V show this program only.`,
  examples: ['rolealerts version', 'rolealerts version --client', 'rolealerts version -o json'],
  options: versionOptions,
  async run(values, host) {
    const { facts, nodeVersion: node } = host;
    const client = { ...readBuildFacts(), node, platform: `${facts.platform}/${facts.arch}` };
    const cluster = values.client ? undefined : await clusterOf(values, host);
    host.out.write(values.output === 'json' ? versionJson(client, cluster) : versionText(client, cluster));
    return 0;
  },
});

/** Undefined without a kubeconfig; a sentence when it is wrong or the cluster does not answer. Loads the client of the cluster only when needed. */
async function clusterOf(
  { context, kubeconfig, operatorNamespace }: Values<typeof versionOptions>,
  host: Host,
): Promise<ClusterVersion | string | undefined> {
  const isNamed = context !== undefined || kubeconfig !== undefined;
  const { withViewer } = await import('./viewer.ts');
  const { readClusterVersion } = await import('./checks/cluster-checks.ts');
  const viewer = { context, kubeconfig, namespace: undefined, allNamespaces: true };
  try {
    return await withViewer(viewer, host, async ({ transport, signal }) => {
      const read = readClusterVersion({ transport, operatorNamespace, signal });
      const version = await within(systemClock, clusterDeadlineMs, read);
      return version === 'late' ? `no answer within ${clusterDeadlineMs / 1000} s` : version;
    });
  } catch (error) {
    if (isCoded(error, 'stopped') || (isNamed && error instanceof UsageError)) throw error;
    if (error instanceof NoKubeconfigError) return undefined;
    return messageOf(error);
  }
}
