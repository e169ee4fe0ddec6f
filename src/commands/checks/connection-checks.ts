// The checks of one connection: what the operator reports, the consent of its Secret or ServiceAccount, and what its URLs answer.
import { messageOf } from '../../lib/errors.ts';
import type { Proxies } from '../../lib/proxy.ts';
import { createAlertTransport } from '../../operator/alert-client/transport.ts';
import { ageMs, countsByNamespace, hourMs } from '../../operator/dismissals/deactivations.ts';
import { configMapValueOf } from '../../operator/kube/credentials.ts';
import { unlessMissing } from '../../operator/kube/kube-error.ts';
import { objectPath } from '../../operator/kube/resource.ts';
import { conditionOf } from '../../operator/reasons/conditions.ts';
import { factsOfConnection, fillIn } from '../../operator/reasons/message-facts.ts';
import { reasonTexts } from '../../operator/reasons/reasons.ts';
import { type AnyConnection, caBundleOf, pendingStatus } from '../../policy/resources.ts';
import { readConsent } from '../cluster/read-trace.ts';
import { objectName } from '../report/object-name.ts';
import {
  type CheckOutcome,
  type CheckResult,
  type DoctorPlace,
  failed,
  notChecked,
  passed,
  runCheck,
  skewOutcome,
  stepDeadlineMs,
  warning,
} from './check.ts';
import { type Shard, shardOutcome } from './operator.ts';
import { credentialFailure, credentialStep } from './trace.ts';

interface Facts {
  readonly proxies: Proxies | undefined;
  /** Empty when they are not known. */
  readonly shards: readonly Shard[];
}

export async function checkConnection(
  place: DoctorPlace,
  connection: AnyConnection,
  { proxies, shards }: Facts,
): Promise<readonly CheckResult[]> {
  const subject = objectName(connection);
  const run = (check: string, outcome: () => Promise<CheckOutcome>) =>
    runCheck({ subject, check }, place.clock, outcome);
  const urls = urlsOf(connection);
  return Promise.all([
    ...(shards.length > 0 ? [run('shard', async () => shardOutcome(connection, shards))] : []),
    run('ready', async () => readyOutcome(connection)),
    run('deactivations', async () => deactivationsOutcome(connection, place.clock.now())),
    run('credential', () => checkCredential(place, connection)),
    ...urls.map(({ name, text }) => run(`http-${name}`, () => checkUrl(text, connection, { ...place, proxies }))),
  ]);
}

const bodyLimitBytes = 65_536;

/** Verifies the certificate as the operator does. Any status but that of a failure is an answer: the request has no credential. */
export async function checkUrl(
  text: string,
  connection: AnyConnection,
  place: DoctorPlace & Pick<Facts, 'proxies'>,
): Promise<CheckOutcome> {
  const { clock, signal, proxies } = place;
  const url = URL.parse(text);
  if (url === null) return failed(`${text} is not a valid URL.`, 'Correct it in the connection.');
  const caBundle = await readBundle(place, connection);
  const transport = createAlertTransport({
    clock,
    requestTimeoutMs: stepDeadlineMs,
    maxConcurrent: 1,
    allowPrivateEndpoints: true,
    caBundle,
    proxies,
  });
  try {
    const { origin, pathname } = url;
    const request = { origin, target: pathname, method: 'GET', headers: [], bodyLimitBytes, signal } as const;
    const { status, headers } = await transport.send(request);
    const what = `${url.host} answers a request without a credential with status ${status}`;
    if (status >= 500) return failed(`${what}.`, 'Ask the operator of that service.');
    return skewOutcome(what, headers['date'], clock.now());
  } catch (error) {
    return failed(messageOf(error), 'Check the URL, firewalls, proxies, and the CA bundle of the connection.');
  } finally {
    await transport.stop();
  }
}

function urlsOf({ spec }: AnyConnection): readonly { readonly name: string; readonly text: string }[] {
  const tokenURL = spec.auth.clientCredentials?.tokenURL ?? spec.auth.federated?.tokenURL;
  const service = { name: 'service', text: spec.endpoint.baseURL };
  return tokenURL === undefined ? [service] : [service, { name: 'token-endpoint', text: tokenURL }];
}

/** The operator reaches its services from its Pod; these checks run elsewhere. */
function readyOutcome(connection: AnyConnection): CheckOutcome {
  const { status, reason, message } = conditionOf(connection.status, 'Ready') ?? pendingStatus.conditions[0];
  if (status === 'True') return passed('The operator reports it as ready.');
  const text = `The operator reports ${reason}: ${message}`;
  return status === 'Unknown'
    ? warning(text, 'If a policy uses it, check that the operator runs and watches its namespace.')
    : failed(text);
}

/** What a policy of another namespace must not read: who used the deactivations of the hour. */
function deactivationsOutcome(connection: AnyConnection, nowMs: number): CheckOutcome {
  const { spec, status } = connection;
  const { deactivationsPerHour } = spec.limits;
  const sent = (status?.recentDeactivations ?? []).filter((record) => ageMs(record, nowMs) < hourMs);
  const counts = [...(countsByNamespace(connection, sent) ?? [])].toSorted(([, a], [, b]) => b - a);
  const [namespace, count] = counts[0] ?? [];
  const most = namespace === undefined ? '' : `, ${count} of them for namespace ${namespace}`;
  const text = `It sent ${sent.length} of the ${deactivationsPerHour} deactivations that it may send within an hour${most}.`;
  // A namespace may use as many of a shared limit as it leaves.
  if (sent.length === 0 || sent.length + (count ?? 0) < deactivationsPerHour) return passed(text);
  return warning(text, 'Wait until the oldest is an hour old, or raise limits.deactivationsPerHour.');
}

/** The link of a trace: the consent of the Secret or the ServiceAccount, by its metadata. */
async function checkCredential(place: DoctorPlace, connection: AnyConnection): Promise<CheckOutcome> {
  const { operatorNamespace } = place;
  const credential = await readConsent(place, connection, operatorNamespace);
  const input = { credential, clusterNamespace: operatorNamespace };
  const step = credentialStep(connection, input);
  if (!step) return failed('spec.auth names no credential.', 'Set one of the members of spec.auth.');
  const sentence = `${step.name}: ${step.text}.`;
  const reason = credentialFailure(connection, input);
  if (reason)
    return failed(sentence, fillIn(reasonTexts[reason].next ?? '', factsOfConnection(connection, operatorNamespace)));
  return step.state === 'Ok' ? passed(sentence) : notChecked(sentence, 'Let a cluster admin run it.');
}

/** The certificates that the operator trusts; undefined for those of the system. */
async function readBundle(
  { transport, operatorNamespace, signal }: DoctorPlace,
  connection: AnyConnection,
): Promise<string | undefined> {
  const reference = caBundleOf(connection, operatorNamespace);
  if (!reference) return undefined;
  const path = objectPath({ group: '', version: 'v1', plural: 'configmaps' }, reference.namespace, reference.name);
  const read = transport.request<object>({ verb: 'get', path, deadlineMs: stepDeadlineMs, signal });
  return configMapValueOf((await unlessMissing(read)) ?? {}, reference);
}
