// Commands to try after the scenario, each complete, to paste into another terminal.
import { shellQuote as quote } from '../../lib/shell-quote.ts';
import { requestedAtAnnotation } from '../../policy/resources.ts';
import { bindingName, demoNamespace, lateOwner } from './manifests.ts';
import { attackedSample } from './scenario-samples.ts';

export interface DemoAccess {
  readonly kubectlPath: string;
  readonly kubeconfigPath: string;
  /** A bearer token of the alerts service. */
  readonly token: string;
  /** The URL of the attacked sample's alert (section 4.2). */
  readonly alertURL: string;
}

export interface NextStep {
  readonly description: string;
  readonly command: string;
  readonly usesKubectl: boolean;
}

/** The body that deactivates an alert (section 4.2). */
export const deactivationBody = '{"properties":{"isActive":false}}';

export function nextSteps({ kubectlPath, kubeconfigPath, token, alertURL }: DemoAccess): readonly NextStep[] {
  const kubectl = `${quote(kubectlPath)} --kubeconfig ${quote(kubeconfigPath)} -n ${demoNamespace}`;
  const headers = `-H ${quote(`authorization: Bearer ${token}`)} -H ${quote('content-type: application/json')}`;
  return [
    {
      description: 'Describe a policy, with its events:',
      command: `${kubectl} describe rolealertpolicy ${attackedSample.name}`,
      usesKubectl: true,
    },
    {
      description: 'Describe a connection, with the register of its dismissals:',
      command: `${kubectl} describe rolealertconnection ${attackedSample.connection}`,
      usesKubectl: true,
    },
    {
      description: 'List the events of the timeline:',
      command: `${kubectl} get events --sort-by=.eventTime`,
      usesKubectl: true,
    },
    {
      description: 'Deactivate an alert as another user, and watch the operator activate it again:',
      command: `curl -i -X PATCH ${headers} -d ${quote(deactivationBody)} ${quote(alertURL)}`,
      usesKubectl: false,
    },
    {
      description: 'Remove the third owner of this cluster, so that the dismissal holds again:',
      command: `${kubectl} delete clusterrolebinding ${bindingName(lateOwner)}`,
      usesKubectl: true,
    },
    {
      description: 'Request a reconcile now:',
      command: `${kubectl} annotate rolealertpolicy ${attackedSample.name} --overwrite ${requestedAtAnnotation}="$(date +%s)"`,
      usesKubectl: true,
    },
  ];
}

/** One line for each command: the terminal wraps a longer line, and a copy of it stays complete. */
export function renderNextSteps(steps: readonly NextStep[]): readonly string[] {
  return [
    '',
    'Try next, in another terminal:',
    ...steps.flatMap(({ description, command }) => ['', description, command]),
    '',
  ];
}
