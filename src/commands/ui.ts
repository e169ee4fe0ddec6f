// `rolealerts ui`: the fleet as a page on loopback that follows the cluster.
import { systemClock } from '../lib/clock.ts';
import { isCoded, messageOf } from '../lib/errors.ts';
import { numberOption } from '../lib/options/quantity.ts';
import { systemSecrets } from '../lib/secret-text.ts';
import { controllerOptions } from '../operator/manager/controller-options.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import { type PolicyTrace, traceOf } from './checks/trace.ts';
import type { ClusterPlace } from './cluster/cluster-place.ts';
import { readFleet } from './cluster/read-fleet.ts';
import { readTrace } from './cluster/read-trace.ts';
import { watchFleet } from './cluster/watch-fleet.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { clusterResourceNamespaceOption, viewerOptions } from './options/viewer-options.ts';
import type { FleetInput } from './report/fleet.ts';
import { fleetReport, placeName, sectionNames } from './report/sections.ts';
import { LivePages } from './ui/live-pages.ts';
import { startUi } from './ui/ui-server.ts';
import { withViewer } from './viewer.ts';

const asked = { aheadMs: 30 * 86_400_000, defaultMs: controllerOptions.interval.fallback };

const uiOptions = {
  ...viewerOptions,
  clusterResourceNamespace: clusterResourceNamespaceOption,
  port: numberOption({
    flag: 'port',
    fallback: 0,
    least: 0,
    most: 65_535,
    defaultText: '0',
    description: 'The port of 127.0.0.1 on which the page is served; 0 picks a free one.',
  }),
};

export const uiCommand = defineCommand({
  name: 'ui',
  description: descriptions.ui,
  more: `Reads policies, connections and what trace reads with your kubeconfig, and changes nothing. Standard output has the address; its token
works once, for the browser that opens it first.`,
  examples: ['rolealerts ui -A', 'rolealerts ui -n payments --port 8765'],
  options: uiOptions,
  async run({ port, clusterResourceNamespace, ...values }, host) {
    await withViewer(values, host, async (viewer) => {
      const { namespace } = viewer;
      const first = { ...(await readFleet(viewer)), nowMs: systemClock.now() };
      const pages = new LivePages({
        first,
        reportOf: (input, only = namespace) =>
          fleetReport({ ...input, namespace: only, place: placeName(only), ...asked }, sectionNames),
        clock: systemClock,
        traceOf: (policy) => readPolicyTrace(viewer, policy, clusterResourceNamespace),
      });
      const failureOf = (error: unknown) => `The API server did not answer: ${messageOf(error)} Reload the page.`;
      const ui = await startUi({
        port,
        newSecret: systemSecrets,
        pageAt: (url) => pages.at(url),
        failureOf,
      });
      host.out.write(`${ui.address}\n`);
      host.err.write('rolealerts: open the address in a browser; it works once. Ctrl-C ends the page.\n');
      try {
        const show = (input: FleetInput) => pages.show(input);
        await watchFleet(viewer, show, (sentence) => pages.showFailure(sentence));
      } finally {
        await ui.stop();
      }
    });
    return 0;
  },
});

async function readPolicyTrace(
  viewer: ClusterPlace,
  policy: RoleAlertPolicy,
  clusterNamespace: string,
): Promise<PolicyTrace | undefined> {
  try {
    return traceOf(await readTrace(viewer, policy, clusterNamespace));
  } catch (error) {
    // The conditions are known all the same.
    if (!isCoded(error)) throw error;
    return undefined;
  }
}
