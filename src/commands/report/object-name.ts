// How the commands name an object of the cluster, and which objects the words of a user name.
import {
  type AnyConnection,
  apiGroup,
  clusterConnectionKind,
  clusterConnectionPlural,
  connectionKind,
  connectionPlural,
  policyKind,
  policyPlural,
  type RoleAlertPolicy,
} from '../../policy/resources.ts';

export type ResourceKind = RoleAlertPolicy['kind'] | AnyConnection['kind'];

/** The short names of the CRDs, which kubectl accepts as well. */
export const shortNames: Readonly<Record<ResourceKind, string>> = {
  [policyKind]: 'rap',
  [connectionKind]: 'rac',
  [clusterConnectionKind]: 'crac',
};

const typeWords: Readonly<Record<ResourceKind, readonly string[]>> = {
  [policyKind]: [...kubectlWords(policyKind, policyPlural), 'policy', 'policies'],
  [connectionKind]: [...kubectlWords(connectionKind, connectionPlural), 'connection', 'connections'],
  [clusterConnectionKind]: [
    ...kubectlWords(clusterConnectionKind, clusterConnectionPlural),
    'clusterconnection',
    'clusterconnections',
  ],
};

/** `policy NAMESPACE/NAME`, `connection NAMESPACE/NAME` or `ClusterRoleAlertConnection NAME`, as in the conditions. */
export function objectName({
  kind,
  metadata: { namespace, name },
}: {
  readonly kind: ResourceKind;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}): string {
  if (kind === clusterConnectionKind) return `${kind} ${name}`;
  return `${kind === policyKind ? 'policy' : 'connection'} ${namespace ?? ''}/${name}`;
}

/** An object as a user names it: `NAME` is a policy, `TYPE/NAME` has a type as kubectl reads it. */
export interface NamedObject {
  readonly kind: ResourceKind;
  readonly name: string;
}

/** Undefined when the type is none of ours. */
export function readObjectName(text: string): NamedObject | undefined {
  const [type = '', ...names] = text.split('/');
  if (names.length === 0) return { kind: policyKind, name: text };
  const kind = kinds.find((each) => isTypeWord(each, type.toLowerCase()));
  return kind && { kind, name: names.join('/') };
}

/** The forms that `readObjectName` reads, for a message. */
export const objectNameForms = 'NAME or rap/NAME for a policy, rac/NAME for a connection, crac/NAME for a cluster one';

const kinds: readonly ResourceKind[] = [policyKind, connectionKind, clusterConnectionKind];

/** `type` is in lower case, alone or with the group, as `kubectl get -o name` prints it. */
function isTypeWord(kind: ResourceKind, type: string): boolean {
  const word = type.endsWith(`.${apiGroup}`) ? type.slice(0, -apiGroup.length - 1) : type;
  return word === shortNames[kind] || typeWords[kind].includes(word);
}

function kubectlWords(kind: string, plural: string): readonly string[] {
  return [kind.toLowerCase(), plural];
}
