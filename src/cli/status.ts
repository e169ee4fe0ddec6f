// `rolealerts status`: the fleet on one screen: totals, then what needs attention, worst first.
import { stringify } from 'yaml';

import { statusOptions } from '../config/status-options.ts';
import { connectionResource, policyResource } from '../kube/custom-resources.ts';
import { listObjects } from '../kube/list-objects.ts';
import { systemClock } from '../lib/clock.ts';
import { decodeConnection, decodePolicy } from '../policy/decode-resources.ts';
import { fleetJson } from '../view/fleet-json.ts';
import { fleetText } from '../view/fleet-text.ts';
import { fleetOf, type Fleet, type FleetInput } from '../view/fleet.ts';
import { defineCommand } from './command.ts';
import { watchFleet } from './fleet-watch.ts';
import type { Host } from './host.ts';
import { type Viewer, withViewer } from './viewer.ts';

type Format = (typeof statusOptions.output)['fallback'];

export const statusCommand = defineCommand({
  name: 'status',
  description: 'Show the fleet: totals, then what needs attention, worst first.',
  more: `Reads policies and connections with your kubeconfig.

Examples:
  rolealerts status -A
  rolealerts status -n payments -o wide
  rolealerts status -A --watch
  rolealerts status -A -o json | jq '.findings[] | select(.kind == "Stalled")'`,
  exits: { success: 'success, also when something needs attention' },
  options: statusOptions,
  async run({ output, watch, ...values }, host) {
    await withViewer(values, host, async (viewer) => {
      if (watch) await watchFleet(viewer, host, (input) => render(fleetOf(input), output, host));
      else host.out.write(render(fleetOf(await readFleet(viewer, host)), output, host));
    });
    return 0;
  },
});

async function readFleet({ transport, namespace }: Viewer, { err, stopping }: Host): Promise<FleetInput> {
  const [policies, connections] = await Promise.all([
    listObjects(transport, { resource: policyResource, namespace, decode: decodePolicy, signal: stopping }),
    listObjects(transport, { resource: connectionResource, namespace, decode: decodeConnection, signal: stopping }),
  ]);
  for (const each of [...policies.unreadable, ...connections.unreadable]) {
    err.write(`rolealerts: not shown, because this version cannot read it: ${each}\n`);
  }
  return { policies: policies.items, connections: connections.items, nowMs: systemClock.now() };
}

function render(fleet: Fleet, format: Format, { out }: Host): string {
  if (format === 'json') return `${JSON.stringify(fleetJson(fleet), undefined, 2)}\n`;
  if (format === 'yaml') return stringify(fleetJson(fleet));
  return fleetText(fleet, { columns: out.isTerminal ? out.columns : 0, isWide: format === 'wide' });
}
