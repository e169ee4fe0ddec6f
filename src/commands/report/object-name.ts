// How the commands name an object of the cluster, and which objects the words of a user name.
import { cleanText } from '../../lib/clean-text.ts';
import {
  type AnyConnection,
  apiGroup,
  clusterConnectionKind,
  connectionKind,
  displayNameAnnotation,
  policyKind,
  type RoleAlertPolicy,
} from '../../policy/resources.ts';

export type ResourceKind = RoleAlertPolicy['kind'] | AnyConnection['kind'];

/** The short names of the CRDs, which kubectl accepts as well. */
export const shortNames: Readonly<Record<ResourceKind, string>> = {
  [policyKind]: 'rap',
  [connectionKind]: 'rac',
  [clusterConnectionKind]: 'crac',
};

/** The names of a type in lower case, without the group; the longer ones are those of kubectl. */
const typeWords: Readonly<Record<ResourceKind, RegExp>> = {
  [policyKind]: /^(rap|(rolealert)?(policy|policies))$/,
  [connectionKind]: /^(rac|(rolealert)?connections?)$/,
  [clusterConnectionKind]: /^(crac|cluster(rolealert)?connections?)$/,
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

/** The name of the scope in the annotation of the policy. */
export function displayNameOf({ metadata }: RoleAlertPolicy): { readonly displayName?: string } {
  const displayName = cleanText(metadata.annotations?.[displayNameAnnotation] ?? '', 80).trim();
  return displayName === '' ? {} : { displayName };
}

export function scopeText({ scope, displayName }: { readonly scope: string; readonly displayName?: string }): string {
  return displayName === undefined ? scope : `${displayName} (${scope})`;
}

/** An object as a user names it: `NAME` is a policy, `TYPE/NAME` has a type as kubectl reads it. */
export interface NamedObject {
  readonly kind: ResourceKind;
  readonly name: string;
}

const kinds: readonly ResourceKind[] = [policyKind, connectionKind, clusterConnectionKind];

/** Undefined when the type is none of ours. The group may follow it, as `kubectl get -o name` prints it. */
export function readObjectName(text: string): NamedObject | undefined {
  const [type = '', ...names] = text.split('/');
  if (names.length === 0) return { kind: policyKind, name: text };
  const word = type.toLowerCase().replace(`.${apiGroup}`, '');
  const kind = kinds.find((each) => typeWords[each].test(word));
  return kind && { kind, name: names.join('/') };
}

/** The forms that `readObjectName` reads, for a message. */
export const objectNameForms = 'NAME or rap/NAME for a policy, rac/NAME for a connection, crac/NAME for a cluster one';
