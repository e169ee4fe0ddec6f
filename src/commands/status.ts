// `rolealerts status`: the fleet on one screen: totals, then what needs attention, worst first.
import { systemClock } from '../lib/clock.ts';
import { lineColumns } from '../lib/output.ts';
import { readPermittedOperators } from './checks/operator.ts';
import type { ClusterPlace } from './cluster/cluster-place.ts';
import { readFleet } from './cluster/read-fleet.ts';
import { watchFleet } from './cluster/watch-fleet.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import type { Host } from './host.ts';
import { statusOptions } from './options/status-options.ts';
import { fleetJson } from './report/fleet-json.ts';
import { fleetText } from './report/fleet-text.ts';
import { fleetOf, type Fleet, type FleetInput } from './report/fleet.ts';
import { inFormat } from './report/in-format.ts';
import { withViewer } from './viewer.ts';

type Format = (typeof statusOptions.output)['fallback'];

/** Erases the screen and what scrolled out of it, and puts the cursor at the top left. */
const clearScreen = '\u001b[H\u001b[2J\u001b[3J';

export const statusCommand = defineCommand({
  name: 'status',
  description: descriptions.status,
  more: `Reads policies and connections with your kubeconfig, and if you may list them in all namespaces, the Deployments of the operator, once:\nto name the connections that none of them selects, or several.`,
  examples: [
    'rolealerts status -A',
    'rolealerts status -n payments -o wide',
    'rolealerts status -A --watch',
    'rolealerts status -A -o json | jq \'.findings[] | select(.kind == "Stalled")\'',
  ],
  exits: { success: 'success, also when something needs attention' },
  options: statusOptions,
  async run({ output, watch, ...values }, host) {
    await withViewer(values, host, async (viewer) => {
      const { out } = host;
      const shards = await readPermittedOperators({ ...viewer, operatorNamespace: undefined });
      const text = (input: FleetInput) =>
        render(fleetOf({ ...input, shards }), output, { host, namespace: viewer.namespace });
      if (!watch) return out.write(text({ ...(await readFleet(viewer)), nowMs: systemClock.now() }));
      await follow(viewer, host, (input) =>
        out.write(`${out.canRedraw ? clearScreen : ''}${text(input)}${out.canRedraw ? '' : '\n'}`),
      );
    });
    return 0;
  },
});

/** Shows the fleet whenever it changes, and again when a terminal that can redraw gets another size. */
async function follow(place: ClusterPlace, { out }: Host, show: (input: FleetInput) => void): Promise<void> {
  let last: FleetInput | undefined;
  const redraw = () => last && show({ ...last, nowMs: systemClock.now() });
  const end = out.canRedraw ? out.onResize?.(redraw) : undefined;
  await watchFleet(place, (input) => {
    last = input;
    show(input);
  });
  end?.();
}

interface Place {
  readonly host: Host;
  /** Undefined for all of them. */
  readonly namespace: string | undefined;
}

function render(fleet: Fleet, format: Format, { host, namespace }: Place): string {
  const text = () => fleetText(fleet, { columns: lineColumns(host.out), isWide: format === 'wide', namespace });
  return inFormat(format, () => fleetJson(fleet), text);
}
