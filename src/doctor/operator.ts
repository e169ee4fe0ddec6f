// Reads the Deployment of the operator: its version, its replicas, and the options that decide what the checks ask for.
import { queryOf } from '../kube/resource.ts';
import { isString, objectOf, stringOf } from '../lib/json-shape.ts';
import { type DoctorPlace, failed, type CheckOutcome, passed, stepDeadlineMs, warning } from './check.ts';

export interface Operator {
  readonly name: string;
  readonly image: string;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly serviceAccount: string;
  readonly elects: boolean;
  readonly leaseName: string;
  /** Names only: a value may hold a password. */
  readonly proxyVariables: readonly string[];
}

const selector = 'app.kubernetes.io/name=rolealerts,app.kubernetes.io/component=operator';

/** Every shard is a Deployment of its own. Rejects with a `KubeError`. */
export async function readOperators(
  place: Pick<DoctorPlace, 'transport' | 'operatorNamespace' | 'signal'>,
): Promise<readonly Operator[]> {
  const { transport, operatorNamespace, signal } = place;
  const path = `/apis/apps/v1/namespaces/${operatorNamespace}/deployments${queryOf({ labelSelector: selector })}`;
  const list = objectOf(await transport.request<unknown>({ verb: 'list', path, deadlineMs: stepDeadlineMs, signal }));
  return itemsOf(list['items']).map(operatorOf);
}

function operatorOf(deployment: Readonly<Record<string, unknown>>): Operator {
  const spec = objectOf(deployment['spec']);
  const pod = objectOf(objectOf(spec['template'])['spec']);
  const container = itemsOf(pod['containers']).find((each) => argumentsOf(each).includes('controller')) ?? {};
  const args = argumentsOf(container);
  const names = itemsOf(container['env']).map(({ name }) => name);
  return {
    name: stringOf(objectOf(deployment['metadata'])['name']) ?? '?',
    image: stringOf(container['image']) ?? '?',
    replicas: Number(spec['replicas'] ?? 1),
    readyReplicas: Number(objectOf(deployment['status'])['readyReplicas'] ?? 0),
    serviceAccount: stringOf(pod['serviceAccountName']) ?? 'default',
    elects: !args.some((each) => ['--leader-elect=false', '--leader-elect=0', '--no-leader-elect'].includes(each)),
    leaseName: valueIn(args, '--leader-election-id') ?? 'rolealerts',
    proxyVariables: names.filter(isString).filter((name) => /^(https?|no)_proxy$/i.test(name)),
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

function sentenceOf({ name, image, replicas, readyReplicas }: Operator): string {
  return `${name} runs ${image}, ${readyReplicas} of ${replicas} replicas ready`;
}

function valueIn(args: readonly string[], flag: string): string | undefined {
  const joined = args.find((each) => each.startsWith(`${flag}=`));
  if (joined !== undefined) return joined.slice(flag.length + 1);
  const at = args.indexOf(flag);
  return at < 0 ? undefined : args[at + 1];
}

function argumentsOf({ args }: Readonly<Record<string, unknown>>): readonly string[] {
  return Array.isArray(args) ? args.filter(isString) : [];
}

function itemsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}
