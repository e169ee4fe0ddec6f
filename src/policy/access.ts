// What the entries of `spec.access` let the policies of one namespace do on one scope. A thing is allowed when one entry
// allows all of it; entries are never added together, and what no entry allows is denied.
import { canonicalScope } from '../alerts/resource-id.ts';
import { isSelected } from '../lib/label-selector.ts';
import type { AccessEntry, LabelRequirement, NamespaceSelector } from './generated/cluster-role-alert-connection.ts';
import type { PolicyMode, RoleAlertPolicySpec } from './generated/role-alert-policy.ts';
import type { NamespaceMetadata } from './resources.ts';

type Gate = 'Allow' | 'Deny';

/** What a policy may do through its connection. */
export interface Access {
  /** List the scope. `Unknown`: the namespace is not known or is being deleted, which denies everything as well. */
  readonly list: Gate | 'Unknown';
  /** Observe when the policy may not correct anything. */
  readonly mode: PolicyMode;
  readonly deactivation: Gate;
  /** Guard alerts that the policy does not list, in the mode that is in effect. */
  readonly unlisted: Gate;
}

/** What a policy of a RoleAlertConnection may do: the connection belongs to its namespace. */
export const fullAccess: Access = { list: 'Allow', mode: 'Enforce', deactivation: 'Allow', unlisted: 'Allow' };
const noAccess: Access = { list: 'Deny', mode: 'Observe', deactivation: 'Deny', unlisted: 'Deny' };

/** What an entry allows the namespaces that it selects. */
export interface SelectedEntry extends Pick<AccessEntry, 'maxMode' | 'deactivation' | 'unlisted'> {
  /** Its scopes, canonical, without those that no policy can have. */
  readonly prefixes: readonly string[];
}

/** Finds the entries that select a namespace. */
export type SelectEntries = (entries: readonly AccessEntry[], namespace: NamespaceMetadata) => readonly SelectedEntry[];

export const selectEntries: SelectEntries = (entries, { metadata: { labels } }) =>
  entries
    .filter(({ namespaceSelector }) => selectsLabels(namespaceSelector, labels))
    .map(({ scopes, maxMode, deactivation, unlisted }) => {
      const prefixes = scopes.map((scope) => canonicalScope(scope)).filter(isPlain);
      return { prefixes, maxMode, deactivation, unlisted };
    });

/** `namespace`: that of the policy, undefined when the operator does not know it. */
export function accessOf(
  entries: readonly AccessEntry[],
  { scope, mode }: Pick<RoleAlertPolicySpec, 'scope' | 'mode'>,
  namespace: NamespaceMetadata | undefined,
  select = selectEntries,
): Access {
  if (!namespace || namespace.metadata.deletionTimestamp !== undefined) return { ...noAccess, list: 'Unknown' };
  const matching = entriesAt(select(entries, namespace), canonicalScope(scope));
  if (matching.length === 0) return noAccess;
  const enforcing = matching.filter(({ maxMode }) => maxMode === 'Enforce');
  const granted: PolicyMode = enforcing.length > 0 ? 'Enforce' : 'Observe';
  const guarding = mode === 'Enforce' && granted === 'Enforce' ? enforcing : matching;
  return {
    list: 'Allow',
    mode: granted,
    deactivation: gate(enforcing.some(({ deactivation }) => deactivation === 'Allow')),
    unlisted: gate(guarding.some(({ unlisted }) => unlisted === 'Allow')),
  };
}

/** `scope` is canonical. */
function entriesAt(selected: readonly SelectedEntry[], scope: string): readonly SelectedEntry[] {
  return isPlain(scope) ? selected.filter(({ prefixes }) => prefixes.some((prefix) => isWithin(scope, prefix))) : [];
}

function gate(isAllowed: boolean): Gate {
  return isAllowed ? 'Allow' : 'Deny';
}

/** True for the prefix itself and for what lies below it by whole segments. Both are canonical. */
function isWithin(scope: string, prefix: string): boolean {
  return scope === prefix || scope.startsWith(`${prefix}/`);
}

/**
 * Rejects what the schema rejects as well: empty segments, "." and "..", and characters that a URL would decode or drop.
 * A stored object may be older than the schema, and such a scope may denote another resource than its text says.
 */
function isPlain(scope: string): boolean {
  return /^[a-z0-9._()~ -]+(\/[a-z0-9._()~ -]+)*$/.test(scope) && !/(^|\/)[.][.]?(\/|$)/.test(scope);
}

/** True when all requirements hold. A requirement that the schema rejects never holds. */
function selectsLabels({ matchLabels, matchExpressions }: NamespaceSelector, labels: Labels = {}): boolean {
  const hasLabels = Object.entries(matchLabels ?? {}).every(([key, value]) =>
    isSelected([{ key, operator: 'In', values: [value] }], labels),
  );
  return hasLabels && (matchExpressions ?? []).every((requirement) => holds(requirement, labels));
}

type Labels = Readonly<Record<string, string>>;

function holds({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
  const needsValues = operator === 'In' || operator === 'NotIn';
  return needsValues === values.length > 0 && isSelected([{ key, operator, values }], labels);
}
