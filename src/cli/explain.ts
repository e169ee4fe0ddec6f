// `rolealerts explain`: what a reason means and what to do, or the conditions of one policy.
import { explainOptions } from '../config/explain-options.ts';
import { createCustomResources } from '../kube/custom-resources.ts';
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { nearestOf } from '../lib/nearest.ts';
import { allReasons } from '../plan/reasons.ts';
import { conditionsText, findReason, reasonText } from '../view/explain.ts';
import { defineCommand } from './command.ts';
import { withViewer } from './viewer.ts';

export const explainCommand = defineCommand({
  name: 'explain',
  description: 'Explain a reason of a condition, or every condition of a policy of the cluster.',
  more: `A reason begins with a capital letter and needs no cluster. A policy is read with your kubeconfig.

Examples:
  rolealerts explain BudgetTooSmall
  rolealerts explain -n payments owners`,
  options: explainOptions,
  operands: [{ name: 'REASON|POLICY', description: 'A reason, or the name of a policy.' }],
  async run(values, host, [name = '']) {
    if (/^[A-Z]/.test(name)) {
      host.out.write(explained(name));
      return 0;
    }
    await withViewer({ ...values, allNamespaces: false }, host, async ({ transport, namespace = 'default' }) => {
      const policy = await createCustomResources(transport).readPolicy(namespace, name, host.stopping);
      if (!policy) throw new LocalError(`There is no policy ${namespace}/${name}: check --namespace and --context.`);
      host.out.write(conditionsText(`policy ${namespace}/${name}`, policy.status?.conditions ?? []));
    });
    return 0;
  },
});

function explained(name: string): string {
  const reason = findReason(name);
  if (reason) return reasonText(reason);
  const close = nearestOf(name, allReasons);
  const advice = close === undefined ? `The reasons are ${allReasons.join(', ')}.` : `Did you mean ${close}?`;
  throw new UsageError(`No condition has the reason ${name}. ${advice}`);
}
