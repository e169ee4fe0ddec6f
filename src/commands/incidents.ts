// `rolealerts incidents`: the alerts that fire, by severity and age; with --reveal what the service says of each incident.
import { systemClock } from '../lib/clock.ts';
import type { Values } from '../lib/options/option.ts';
import { lineColumns } from '../lib/output.ts';
import { selectPolicies } from './cluster/select-policies.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import type { Host } from './host.ts';
import { incidentsOptions } from './options/incidents-options.ts';
import { openPreviewAccess } from './preview-input.ts';
import { revealIncidents, type RevealOptions } from './preview/reveal-incidents.ts';
import { inFormat } from './report/in-format.ts';
import { incidentsJson, incidentsText, revealKey } from './report/incidents-text.ts';
import { firingAlerts } from './report/incidents.ts';
import { withViewer } from './viewer.ts';

export const incidentsCommand = defineCommand({
  name: 'incidents',
  description: descriptions.incidents,
  more: `Reads the statuses of policies with your kubeconfig; they name no person. An age is the time since the policy shows open incidents.

--reveal sends your own token to the service: from --token-file, ROLEALERTS_TOKEN, or the sign-in of rolealerts login. The operator and the Secret of the connection have no part in it.`,
  examples: [
    'rolealerts incidents -A',
    'rolealerts incidents -n payments owners -o wide',
    'rolealerts incidents -n payments owners --reveal --token-file token',
    'rolealerts incidents -A -o json | jq \'.items[] | select(.severity == "High")\'',
  ],
  options: incidentsOptions,
  exits: {
    success: 'shown, also when incidents are open',
    failed: 'failed, or with --reveal a scope could not be listed',
  },
  operands: [{ name: 'NAME', description: 'Only these policies, as NAME or rap/NAME. Default: all.', count: 'Any' }],
  run: ({ output, reveal, ...values }, host, names) =>
    withViewer(values, host, async (place) => {
      const policies = await selectPolicies(place, { names, all: names.length === 0, selector: undefined });
      const firing = firingAlerts(policies);
      const revealed = reveal ? await revealIncidents(place, firing, revealOptions(values, host)) : undefined;
      const columns = lineColumns(host.out);
      const text = () =>
        incidentsText(firing, { nowMs: systemClock.now(), columns, isWide: output === 'wide', revealed });
      host.out.write(inFormat(output, () => incidentsJson(firing, revealed), text));
      return revealed && firing.some((each) => !revealed.has(revealKey(each))) ? 1 : 0;
    }),
});

type IncidentsValues = Values<typeof incidentsOptions>;

/** Without Secrets: the names are for the person who asks, with their own rights at the service. */
function revealOptions(values: Omit<IncidentsValues, 'output' | 'reveal'>, host: Host): RevealOptions {
  return {
    clusterNamespace: values.clusterResourceNamespace,
    openAccess: (configMaps) => openPreviewAccess({ secrets: undefined, configMaps }, values, host),
  };
}
