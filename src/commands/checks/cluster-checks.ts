// The checks of the cluster itself: the API server, the CRDs and their versions, the operator's Deployment and its leader, and permissions.
import type { Clock } from '../../lib/clock.ts';
import { isString, objectOf, parseJson, stringOf } from '../../lib/json-shape.ts';
import { isKubeError } from '../../operator/kube/kube-error.ts';
import { apiGroup, apiVersion, groupVersion } from '../../policy/resources.ts';
import { schemaHashes } from '../manifests/custom-resources.ts';
import { schemaHash } from '../manifests/schema-hash.ts';
import {
  allowedSkewMs,
  type CheckOutcome,
  type DoctorPlace,
  failed,
  notChecked,
  passed,
  skewOutcome,
  stepDeadlineMs,
} from './check.ts';
import type { Operator } from './operator.ts';
import { callerNeeds, lackedBy, operatorPermissions, permissionText } from './permissions.ts';

/** Its clock too, because credentials have an end. */
export async function checkApiServer({ transport, clock, signal }: DoctorPlace): Promise<CheckOutcome> {
  const { status, headers, body } = await transport.send({
    verb: 'get',
    path: '/version',
    deadlineMs: stepDeadlineMs,
    signal,
  });
  const version = stringOf(objectOf(parseJson(body))['gitVersion']);
  if (status === 401) return failed('The API server does not accept the credential.', 'Renew it in the kubeconfig.');
  if (status !== 200 || version === undefined) return failed(`The API server answers /version with status ${status}.`);
  return skewOutcome(`Kubernetes ${version} answers`, headers['date'], clock.now());
}

/** Each CRD has the version and the schema of this program. */
export async function checkCrds(place: DoctorPlace): Promise<CheckOutcome> {
  const found = await readInstalledSchemas(place);
  const plurals = Object.keys(schemaHashes);
  const missing = plurals.filter((plural) => found[plural] === undefined);
  const apply = 'Apply those of this version: kubectl apply --server-side -k crds.';
  if (missing.length > 0) return failed(`The cluster does not serve ${groupVersion} of ${missing.join(', ')}.`, apply);
  const others = plurals.filter((plural) => found[plural] !== schemaHashes[plural]);
  if (others.length === 0) return passed(`${groupVersion} is served with the schemas of this program.`);
  if (others.every((plural) => found[plural] === 'unknown')) {
    return notChecked(
      `${groupVersion} is served; you may not read customresourcedefinitions, so its schemas are not compared.`,
      'Let a cluster admin run this check.',
    );
  }
  return failed(`The cluster has another schema of ${others.join(', ')} than this program.`, apply);
}

type ApiPlace = Pick<DoctorPlace, 'transport' | 'signal'>;

/** The hash of each served schema by its plural; `unknown` when the caller may only see that it is served. */
async function readInstalledSchemas(place: ApiPlace): Promise<Readonly<Record<string, string>>> {
  const plurals = Object.keys(schemaHashes);
  try {
    const pairs = await Promise.all(plurals.map(async (plural) => [plural, await readHash(place, plural)] as const));
    return Object.fromEntries(pairs.flatMap(([plural, hash]) => (hash === undefined ? [] : [[plural, hash]])));
  } catch (error) {
    if (!isKubeError(error, 'kube-denied')) throw error;
    return readServedResources(place);
  }
}

async function readHash({ transport, signal }: ApiPlace, plural: string): Promise<string | undefined> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${apiGroup}`;
  try {
    const crd = await transport.request<unknown>({ verb: 'get', path, deadlineMs: stepDeadlineMs, signal });
    const { versions } = objectOf(objectOf(crd)['spec']);
    const list: readonly unknown[] = Array.isArray(versions) ? versions : [];
    const served = list.map(objectOf).find(({ name, served: isServed }) => name === apiVersion && isServed === true);
    return served && schemaHash(objectOf(served['schema'])['openAPIV3Schema']);
  } catch (error) {
    if (isKubeError(error, 'kube-not-found')) return undefined;
    throw error;
  }
}

/** Every user may read which resources the API server serves. */
async function readServedResources({ transport, signal }: ApiPlace): Promise<Readonly<Record<string, string>>> {
  try {
    const path = `/apis/${groupVersion}`;
    const list = await transport.request<unknown>({ verb: 'get', path, deadlineMs: stepDeadlineMs, signal });
    const { resources } = objectOf(list);
    const names = (Array.isArray(resources) ? resources : []).map((each) => objectOf(each)['name']).filter(isString);
    return Object.fromEntries(names.map((name) => [name, 'unknown']));
  } catch (error) {
    if (isKubeError(error, 'kube-not-found')) return {};
    throw error;
  }
}

export async function checkCaller({ transport, namespace, signal }: DoctorPlace): Promise<CheckOutcome> {
  const needs = callerNeeds(namespace);
  const lacked = await lackedBy(
    transport,
    'caller',
    needs.map(({ permission }) => permission),
    signal,
  );
  const place = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  const allowed = needs.filter(({ permission }) => !lacked.includes(permission)).map(({ use }) => use);
  const refused = needs.filter(({ permission }) => lacked.includes(permission));
  const may = allowed.length === 0 ? '' : `You may ${allowed.join(', ')} ${place}.`;
  if (refused.length === 0) return passed(may);
  const others = refused.map(({ use, role }) => `${use} (${role})`).join(', ');
  const sentence = `${may} You may not ${others}.`.trim();
  const readsPolicies = allowed.includes('read policies');
  return readsPolicies ? passed(sentence) : failed(sentence, 'Ask for the ClusterRole in parentheses.');
}

/** By the ServiceAccount of the Deployment. */
export async function checkOperatorPermissions(place: DoctorPlace, operator: Operator): Promise<CheckOutcome> {
  const { transport, operatorNamespace: namespace, signal } = place;
  const account = { namespace, name: operator.serviceAccount };
  const needed = operatorPermissions({ namespace, name: operator.leaseName }, operator.watchNamespaces);
  const lacked = await lackedBy(transport, account, needed, signal);
  const who = `ServiceAccount ${namespace}/${account.name}`;
  if (lacked.length === 0) return passed(`${who} has all ${needed.length} permissions that the operator needs.`);
  return failed(
    `${who} may not ${lacked.map(permissionText).join(', ')}.`,
    'Apply operator-role.yaml and lease-role.yaml of deploy/base, and bind them to this ServiceAccount.',
  );
}

/** Renewed within the duration that it states; both clocks count, so some seconds of difference are allowed. */
export async function checkLeader(place: DoctorPlace, { leaseName, elects }: Operator): Promise<CheckOutcome> {
  const { transport, operatorNamespace: namespace, clock, signal } = place;
  if (!elects) return passed('The operator runs with --leader-elect=false, so there is no Lease.');
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${leaseName}`;
  try {
    const lease = await transport.request<unknown>({ verb: 'get', path, deadlineMs: stepDeadlineMs, signal });
    return leaderOutcome(objectOf(objectOf(lease)['spec']), `Lease ${namespace}/${leaseName}`, clock);
  } catch (error) {
    if (isKubeError(error, 'kube-not-found'))
      return failed(`There is no Lease ${namespace}/${leaseName}.`, seeOperator);
    throw error;
  }
}

const seeOperator = 'Read the log of the operator: no replica is the leader.';

function leaderOutcome(spec: Readonly<Record<string, unknown>>, lease: string, clock: Clock): CheckOutcome {
  const holder = stringOf(spec['holderIdentity']) ?? '';
  if (holder === '') return failed(`No replica holds ${lease}.`, seeOperator);
  const renewedMs = Date.parse(stringOf(spec['renewTime']) ?? '');
  if (Number.isNaN(renewedMs)) return failed(`${lease} does not say when ${holder} renewed it.`, seeOperator);
  const ageMs = Math.max(0, clock.now() - renewedMs);
  const durationMs = Number(spec['leaseDurationSeconds'] ?? 0) * 1000;
  const sentence = `${holder} holds ${lease} and renewed it ${Math.round(ageMs / 1000)} s ago.`;
  return ageMs <= durationMs + allowedSkewMs ? passed(sentence) : failed(sentence, seeOperator);
}
