// The commands to try once the story is over, whole, so that each can be copied into another terminal as it is.
import { requestedAtAnnotation } from '../../policy/resources.ts';
import { bindingName, demoNamespace, lateOwner } from './manifests.ts';
import { attackedSample } from './samples.ts';

export interface DemoAccess {
  readonly kubectlPath: string;
  readonly kubeconfigPath: string;
  /** A bearer token of the alerts service. */
  readonly token: string;
  /** Of the attacked sample's alert (specification 4.2). */
  readonly alertURL: string;
}

export interface NextStep {
  readonly sentence: string;
  readonly command: string;
}

/** What turns an alert off (specification 4.2). */
export const turnOffBody = '{"properties":{"isActive":false}}';

export function nextSteps({ kubectlPath, kubeconfigPath, token, alertURL }: DemoAccess): readonly NextStep[] {
  const kubectl = `${quote(kubectlPath)} --kubeconfig ${quote(kubeconfigPath)} -n ${demoNamespace}`;
  const headers = `-H ${quote(`authorization: Bearer ${token}`)} -H ${quote('content-type: application/json')}`;
  return [
    {
      sentence: 'Read all that the operator tells of a policy:',
      command: `${kubectl} describe rolealertpolicy ${attackedSample.name}`,
    },
    {
      sentence: 'Turn an alert off behind its back, and see it repaired below:',
      command: `curl -i -X PATCH ${headers} -d ${quote(turnOffBody)} ${quote(alertURL)}`,
    },
    {
      sentence:
        'Take the third owner of this cluster away again: its dismissal holds once more, and its alert goes off:',
      command: `${kubectl} delete clusterrolebinding ${bindingName(lateOwner)}`,
    },
    {
      sentence: 'Ask for a look now instead of waiting:',
      command: `${kubectl} annotate rolealertpolicy ${attackedSample.name} --overwrite ${requestedAtAnnotation}="$(date +%s)"`,
    },
  ];
}

/** One line each: what is longer than the terminal is wrapped by it, and copied whole. */
export function renderNextSteps(steps: readonly NextStep[]): readonly string[] {
  return [
    '',
    'Try next, in another terminal:',
    ...steps.flatMap(({ sentence, command }) => ['', sentence, command]),
    '',
  ];
}

/** For a POSIX shell; plain words stay as they are. */
function quote(text: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
