// Commands to try after the scenario, each complete, to paste into another terminal.
import { shellQuote as quote } from '../../lib/terminal-text.ts';
import { serviceDefaults } from '../../service/service-options.ts';
import { demoNamespace } from './manifests.ts';
import { attackedSample, type Sample } from './samples.ts';

export interface DemoAccess {
  /** The shell command that runs this program. */
  readonly program: string;
  readonly kubectl: string;
  readonly kubeconfigPath: string;
  readonly serviceURL: string;
  /** A bearer token of the alerts service. */
  readonly token: string;
}

export interface NextStep {
  readonly description: string;
  readonly command: string;
}

/** The body that deactivates an alert (section 4.2). */
export const deactivationBody = '{"properties":{"isActive":false}}';

/** The URL of a sample's alert (section 4.2). */
export function alertURL(serviceURL: string, { scope, alert }: Sample): string {
  const { providerNamespace, apiVersion } = serviceDefaults;
  return `${serviceURL}/${scope}/providers/${providerNamespace}/roleManagementAlerts/${alert}?api-version=${apiVersion}`;
}

export function nextSteps({ program, kubectl, kubeconfigPath, serviceURL, token }: DemoAccess): readonly NextStep[] {
  const access = `--kubeconfig ${quote(kubeconfigPath)} -n ${demoNamespace}`;
  const withKubectl = (rest: string) => `${quote(kubectl)} ${access} ${rest}`;
  const headers = `-H ${quote(`authorization: Bearer ${token}`)} -H ${quote('content-type: application/json')}`;
  const url = quote(alertURL(serviceURL, attackedSample));
  const { name, connection } = attackedSample;
  return [
    {
      description: 'Explain the state of a policy, from its connection to its alerts:',
      command: `${program} trace ${access} ${name}`,
    },
    { description: 'Describe a policy, with its events:', command: withKubectl(`describe rolealertpolicy ${name}`) },
    {
      description: 'Describe a connection, with the register of its dismissals:',
      command: withKubectl(`describe rolealertconnection ${connection}`),
    },
    {
      description: 'Deactivate an alert as another user, and watch the operator activate it again:',
      command: `curl -i -X PATCH ${headers} -d ${quote(deactivationBody)} ${url}`,
    },
  ];
}

/** One line for each command: the terminal wraps a longer line, and a copy of it stays complete. */
export function renderNextSteps(access: DemoAccess): readonly string[] {
  const lines = nextSteps(access).flatMap(({ description, command }) => ['', description, command]);
  return ['', 'Try next, in another terminal:', ...lines, ''];
}
