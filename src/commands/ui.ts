// `rolealerts ui`: the fleet as a page on loopback that follows the cluster.
import { systemClock } from '../lib/clock.ts';
import { numberOption } from '../lib/options/quantity.ts';
import { systemSecrets } from '../lib/secret-text.ts';
import { controllerOptions } from '../operator/manager/controller-options.ts';
import { readFleet } from './cluster/read-fleet.ts';
import { watchFleet } from './cluster/watch-fleet.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { viewerOptions } from './options/shared-options.ts';
import type { FleetInput } from './report/fleet.ts';
import { fleetReport, placeName, sectionNames } from './report/sections.ts';
import { LivePages } from './ui/live-pages.ts';
import { startUi } from './ui/ui-server.ts';
import { withViewer } from './viewer.ts';

const asked = { aheadMs: 30 * 86_400_000, defaultMs: controllerOptions.interval.fallback };

const uiOptions = {
  ...viewerOptions,
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
  more: `Reads policies and connections with your kubeconfig, and changes nothing. Standard output has the address, which is all
that it takes to read the page until the command ends.`,
  examples: ['rolealerts ui -A', 'rolealerts ui -n payments --port 8765'],
  options: uiOptions,
  async run({ port, ...values }, host) {
    await withViewer(values, host, async (viewer) => {
      const { namespace } = viewer;
      const first = await readFleet(viewer);
      const pages = new LivePages({
        first: { ...first, nowMs: systemClock.now() },
        reportOf: (input) => fleetReport({ ...input, namespace, place: placeName(namespace), ...asked }, sectionNames),
        clock: systemClock,
      });
      const ui = await startUi({ port, newSecret: systemSecrets, pageFor: (parameters) => pages.pageFor(parameters) });
      host.out.write(`${ui.address}\n`);
      host.err.write('rolealerts: open the address in a browser. Ctrl-C ends the page.\n');
      try {
        const show = (input: FleetInput) => pages.show(input);
        await watchFleet(viewer, first, show, (sentence) => pages.showFailure(sentence));
      } finally {
        await ui.stop();
      }
    });
    return 0;
  },
});
