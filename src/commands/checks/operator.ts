// Reads the Deployments of the operator: their version, their replicas, and the options that decide what the checks ask for and which connections
// each serves.
import { isString, objectOf, stringOf } from '../../lib/json-shape.ts';
import { isSelected, parseLabelSelector } from '../../lib/label-selector.ts';
import { collectionPath, queryOf } from '../../operator/kube/resource.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import { type DoctorPlace, failed, type CheckOutcome, passed, stepDeadlineMs, warning } from './check.ts';

/** What the options of an operator select. */
export interface Shard {
  /** `NAMESPACE/NAME` of its Deployment. */
  readonly deployment: string;
  /** Undefined for all connections. */
  readonly connectionSelector: string | undefined;
  /** Empty for all. */
  readonly watchNamespaces: readonly string[];
}

export interface Operator extends Shard {
  readonly name: string;
  readonly image: string;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly serviceAccount: string;
  readonly elects: boolean;
  readonly leaseName: string;
}

const selector = 'app.kubernetes.io/name=rolealerts,app.kubernetes.io/component=operator';

interface OperatorPlace extends Pick<DoctorPlace, 'transport' | 'signal'> {
  /** Undefined for all namespaces. */
  readonly operatorNamespace: string | undefined;
}

/** Every shard is a Deployment of its own, often in a namespace of its own. Rejects with a `KubeError`. */
export async function readOperators({
  transport,
  operatorNamespace,
  signal,
}: OperatorPlace): Promise<readonly Operator[]> {
  const deployments = { group: 'apps', version: 'v1', plural: 'deployments' };
  const path = collectionPath(deployments, operatorNamespace) + queryOf({ labelSelector: selector });
  const list = objectOf(await transport.request<unknown>({ verb: 'list', path, deadlineMs: stepDeadlineMs, signal }));
  return itemsOf(list['items']).map(operatorOf);
}

function operatorOf(deployment: Readonly<Record<string, unknown>>): Operator {
  const spec = objectOf(deployment['spec']);
  const pod = objectOf(objectOf(spec['template'])['spec']);
  const container = itemsOf(pod['containers']).find((each) => argumentsOf(each).includes('controller')) ?? {};
  const args = argumentsOf(container);
  const variables = itemsOf(container['env']);
  const { name: ownName, namespace } = objectOf(deployment['metadata']);
  const name = stringOf(ownName) ?? '?';
  const valueOf = (flag: string) => valueIn(args, `--${flag}`) ?? valueAmong(variables, flag);
  return {
    name,
    deployment: `${stringOf(namespace) ?? '?'}/${name}`,
    connectionSelector: valueOf('connection-selector'),
    watchNamespaces: (valueOf('watch-namespaces') ?? '').split(',').flatMap((each) => each.trim() || []),
    image: stringOf(container['image']) ?? '?',
    replicas: Number(spec['replicas'] ?? 1),
    readyReplicas: Number(objectOf(deployment['status'])['readyReplicas'] ?? 0),
    serviceAccount: stringOf(pod['serviceAccountName']) ?? 'default',
    elects: !args.some((each) => ['--leader-elect=false', '--leader-elect=0', '--no-leader-elect'].includes(each)),
    leaseName: valueOf('leader-election-id') ?? 'rolealerts',
  };
}

/** The version that the tag of an image names; undefined for a digest without a tag. */
export function versionOfImage(image: string): string | undefined {
  return /:([^:/@]+)(?:@.*)?$/.exec(image.replace(/@.*/, ''))?.[1];
}

export function operatorOutcome(operators: readonly Operator[], namespace: string, version: string): CheckOutcome {
  if (operators.length === 0) {
    return failed(
      `Namespace ${namespace} has no Deployment with the labels ${selector}.`,
      'Install deploy/base, or name the namespace of the operator with --operator-namespace.',
    );
  }
  const sentence = `${operators.map(sentenceOf).join('; ')}.`;
  if (operators.some(({ readyReplicas }) => readyReplicas === 0)) {
    return failed(sentence, `Read kubectl describe pods --namespace ${namespace} --selector ${selector}.`);
  }
  const others = operators.filter(({ image }) => versionOfImage(image) !== version);
  if (others.length === 0) return passed(sentence);
  return warning(
    `${sentence} This program has version ${version}, so what it previews may differ.`,
    'Use the version of the operator.',
  );
}

/** Exactly one operator should serve a connection. `shards`: all of the cluster, at least one. */
export function shardOutcome({ metadata }: AnyConnection, shards: readonly Shard[]): CheckOutcome {
  const { namespace, labels } = metadata;
  const selecting = shards.filter(({ connectionSelector, watchNamespaces: names }) => {
    const isWatched = namespace === undefined || names.length === 0 || names.includes(namespace);
    return isWatched && (connectionSelector === undefined || selects(connectionSelector, labels));
  });
  if (selecting.length === 0) {
    return failed(
      `No operator serves it: none of the Deployments ${namesOf(shards)} selects it.`,
      'Correct its labels, or --connection-selector of one of them.',
    );
  }
  // Permissions decide whether an operator of some namespaces serves a ClusterRoleAlertConnection.
  const certain = selecting.filter(({ watchNamespaces }) => namespace !== undefined || watchNamespaces.length === 0);
  if (certain.length < 2) return passed('One operator selects it.');
  return failed(
    `Several operators serve it, and each corrects what the others write: those of the Deployments ${namesOf(certain)}.`,
    'Narrow --connection-selector until exactly one of them selects it.',
  );
}

/** The operator does not start with a selector that is not valid. */
function selects(text: string, labels: AnyConnection['metadata']['labels']): boolean {
  const selector = parseLabelSelector(text);
  return selector !== undefined && isSelected(selector, labels);
}

function namesOf(shards: readonly Shard[]): string {
  return shards.map(({ deployment }) => deployment).join(', ');
}

function sentenceOf({ name, image, replicas, readyReplicas }: Operator): string {
  return `${name} runs ${image}, ${readyReplicas} of ${replicas} replicas ready`;
}

function valueIn(args: readonly string[], flag: string): string | undefined {
  const joined = args.find((each) => each.startsWith(`${flag}=`));
  if (joined !== undefined) return joined.slice(flag.length + 1);
  const at = args.indexOf(flag);
  return at < 0 ? undefined : args[at + 1];
}

/** An option may be set by its variable. */
function valueAmong(variables: readonly Readonly<Record<string, unknown>>[], flag: string): string | undefined {
  const name = `ROLEALERTS_${flag.toUpperCase().replaceAll('-', '_')}`;
  return stringOf(variables.find((each) => each['name'] === name)?.['value']);
}

function argumentsOf({ args }: Readonly<Record<string, unknown>>): readonly string[] {
  return Array.isArray(args) ? args.filter(isString) : [];
}

function itemsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}
