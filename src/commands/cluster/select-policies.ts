// The policies that a command names: by name, by label, or all of them.
import { LocalError, UsageError } from '../../lib/command-errors.ts';
import { isSelected, parseLabelSelector } from '../../lib/label-selector.ts';
import { createCustomResources, policyResource } from '../../operator/kube/custom-resources.ts';
import { listObjects } from '../../operator/kube/lists.ts';
import { decodePolicy } from '../../policy/decode-resources.ts';
import { policyKind, type RoleAlertPolicy } from '../../policy/resources.ts';
import { type FleetInput, fleetWith } from '../report/fleet.ts';
import { objectName, readObjectName } from '../report/object-name.ts';
import type { ClusterPlace } from './cluster-place.ts';

export interface PolicySelection {
  /** `NAME` or `rap/NAME`. */
  readonly names: readonly string[];
  readonly all: boolean;
  /** In kubectl's syntax. */
  readonly selector: string | undefined;
}

/** Rejects with a `UsageError` for a selection that is empty or contradicts itself, and when a policy does not exist. */
export async function selectPolicies(
  place: ClusterPlace,
  selection: PolicySelection,
): Promise<readonly RoleAlertPolicy[]> {
  const { names, all, selector } = selection;
  if (names.length > 0 && (all || selector !== undefined)) {
    throw new UsageError('Name the policies, or use --all or --selector, but not both.');
  }
  if (names.length > 0) return readNamed(place, names);
  if (!all && selector === undefined) throw new UsageError('Name at least one policy, or use --all or --selector.');
  return listSelected(place, selector);
}

function readNamed(place: ClusterPlace, texts: readonly string[]): Promise<RoleAlertPolicy[]> {
  const { namespace } = place;
  if (namespace === undefined) throw new UsageError('With --all-namespaces, use --all or --selector instead of names.');
  const names = new Set(texts.map(policyNameOf));
  return Promise.all([...names].map((name) => readOne(place, namespace, name)));
}

/** Throws `UsageError` for another type. `text`: `NAME` or `rap/NAME`. */
export function policyNameOf(text: string): string {
  const named = readObjectName(text);
  if (named?.kind === policyKind) return named.name;
  throw new UsageError(`${text} is not a policy: write NAME or rap/NAME.`);
}

async function readOne({ transport, signal }: ClusterPlace, namespace: string, name: string): Promise<RoleAlertPolicy> {
  const policy = await createCustomResources(transport).readPolicy(namespace, name, signal);
  if (policy) return policy;
  throw absent(namespace, name);
}

function absent(namespace: string, name: string): LocalError {
  const words = objectName({ kind: policyKind, metadata: { namespace, name } });
  return new LocalError(`There is no ${words}: check --namespace and --context.`);
}

async function listSelected(
  { transport, namespace, signal, note }: ClusterPlace,
  labelSelector: string | undefined,
): Promise<readonly RoleAlertPolicy[]> {
  const request = { resource: policyResource, namespace, labelSelector, decode: decodePolicy, signal };
  const { items, unreadable } = await listObjects(transport, request);
  for (const { key, path } of unreadable) note(`not changed, because this version cannot read it: ${key}: ${path}`);
  return items;
}

export interface FleetSelection extends Pick<PolicySelection, 'names' | 'selector'> {
  /** The only namespace that was read; undefined for all of them. */
  readonly namespace: string | undefined;
}

/** The policies of a fleet that are asked for, and their connections. Throws `UsageError` or `LocalError` for a name without a policy. */
export function selectFleet(read: FleetInput, { names, selector, namespace }: FleetSelection): FleetInput {
  const wanted = parseLabelSelector(selector ?? '');
  const named = names.length > 0 ? namedIn(read, names, namespace) : read.policies;
  const chosen = wanted ? named.filter(({ metadata }) => isSelected(wanted, metadata.labels)) : named;
  return chosen === read.policies ? read : fleetWith(read, chosen);
}

function namedIn(
  { policies }: FleetInput,
  names: readonly string[],
  namespace: string | undefined,
): readonly RoleAlertPolicy[] {
  if (namespace === undefined)
    throw new UsageError('Policies are named within a namespace: use --namespace instead of --all-namespaces.');
  return [...new Set(names.map(policyNameOf))].map((name) => {
    const policy = policies.find(({ metadata }) => metadata.name === name);
    if (policy) return policy;
    throw absent(namespace, name);
  });
}
