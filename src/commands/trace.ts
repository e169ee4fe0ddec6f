// `rolealerts trace`: the way from a policy to its alerts, and what blocks it.
import { lineColumns } from '../lib/output.ts';
import { traceJson, traceText } from './checks/trace-text.ts';
import { traceOf } from './checks/trace.ts';
import { readTrace } from './cluster/read-trace.ts';
import { selectPolicies } from './cluster/select-policies.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { traceOptions } from './options/trace-options.ts';
import { inFormat } from './report/in-format.ts';
import { withViewer } from './viewer.ts';

export const traceCommand = defineCommand({
  name: 'trace',
  description: descriptions.trace,
  more: 'Reads the policy, its connection, the metadata of the credential, the labels of the namespace and events with your kubeconfig. What you may not read is shown as unknown.',
  examples: [
    'rolealerts trace -n payments owners',
    'rolealerts trace -n payments owners -o json | jq -r .blocker.command',
  ],
  options: traceOptions,
  exits: { success: 'traced, also when something blocks the policy' },
  operands: [{ name: 'NAME', description: 'The policy, as NAME or rap/NAME.' }],
  async run({ output, clusterResourceNamespace, ...values }, host, names) {
    await withViewer({ ...values, allNamespaces: false }, host, async (place) => {
      for (const policy of await selectPolicies(place, { names, all: false, selector: undefined })) {
        const trace = traceOf(await readTrace(place, policy, clusterResourceNamespace));
        const text = () => traceText(trace, lineColumns(host.out));
        host.out.write(inFormat(output, () => traceJson(trace), text));
      }
    });
    return 0;
  },
});
