// The alert client factory on a manual clock: a Secret, a ConfigMap and a service, which a test changes.
import { AlertsError } from '../../../src/alerts/alerts-error.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { CodedError, isCoded } from '../../../src/lib/errors.ts';
import { silentLogger } from '../../../src/lib/log.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import { SecretText } from '../../../src/lib/secret-text.ts';
import type { AlertClient } from '../../../src/operator/alert-client/alert-client.ts';
import { KubeError } from '../../../src/operator/kube/kube-error.ts';
import {
  type AlertClientFactoryDeps,
  createAlertClientFactory,
} from '../../../src/operator/manager/alert-client-factory.ts';
import type { CaBundleRef, ConnectionAuth } from '../../../src/policy/generated/role-alert-connection.ts';
import { connection } from '../builders/objects.ts';
import { AnsweringDispatcher, type ScriptedAnswer, type SeenRequest } from '../servers/answering-dispatcher.ts';
import { ManualClock, settlePromises } from './manual-clock.ts';

export const secretGone = new AlertsError('credential-missing', 'The referenced object does not exist.');
export const labelLost = new AlertsError('credential-not-allowed', 'The Secret does not carry the label.');
export const permissionWithdrawn = new AlertsError('credential-not-allowed', 'refused', {
  cause: new KubeError('kube-denied', 'refused', { status: 403 }),
});
export const apiServerAway = new KubeError('kube-unreachable', 'away');

const bearer: ConnectionAuth = { tokenSecretRef: { name: 'token', key: 'value' } };

export const clientAuth: ConnectionAuth = {
  clientCredentials: {
    tokenURL: 'https://alerts.example/token',
    clientID: 'operator',
    clientSecretRef: { name: 'client', key: 'secret' },
  },
};

/** The account's identity is the value of the rig's `secret`. */
export const accountAuth: ConnectionAuth = {
  federated: {
    tokenURL: 'https://alerts.example/token',
    clientID: 'operator',
    serviceAccountName: 'alerts',
    audience: 'api://alerts',
  },
};

/** The factory of an operator with the default options, which reads nothing unless `change` says how. */
export function factoryOn(clock: Clock, change: Partial<AlertClientFactoryDeps> = {}) {
  const never = () => Promise.reject(new Error('not needed here'));
  return createAlertClientFactory({
    credentials: { readSecretValue: never, readConfigMapValue: never },
    serviceAccounts: { readIdentity: never, requestToken: never },
    clusterNamespace: 'rolealerts-system',
    isBeingDeleted: () => false,
    allowHttp: false,
    allowedHosts: [],
    proxies: undefined,
    allowPrivateEndpoints: false,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    observe: () => undefined,
    openDispatcher: undefined,
    ...change,
  });
}

interface Facts {
  readonly auth?: ConnectionAuth;
  readonly hasCaBundle?: boolean;
  readonly limits?: Partial<ReturnType<typeof connection>['spec']['limits']>;
}

export class ClientFactoryRig {
  readonly clock = new ManualClock();
  /** The value in the Secret, or what a reading of it fails with. */
  secret: string | CodedError = 'first';
  /** Likewise of the ConfigMap. */
  caBundle: string | CodedError = 'authority';
  /** The bundle with which the service's certificate can be trusted. */
  authority = 'authority';
  /** The connection or its namespace. */
  isBeingDeleted = false;
  readonly reads = { secret: 0, caBundle: 0 };
  /** What the request for an assertion fails with. */
  assertionFailure: CodedError | undefined;
  /** How many assertions the API server issued. */
  assertions = 0;
  /** The life of the next access token, in seconds. */
  accessSeconds = 3600;
  /** `METHOD CREDENTIAL` of everything that the service received; a token request with the client secret. */
  readonly sent: string[] = [];
  /** Tokens that the service answers with 401. */
  readonly refused = new Set<string>();
  readonly dispatchers: AnsweringDispatcher[] = [];
  /** Awaited by every reading of the API server. */
  duringReading: () => Promise<void> = async () => undefined;
  /** Awaited before the certificate of the service is checked. */
  duringHandshake: () => Promise<void> = async () => undefined;
  /** Awaited by the service before its response. */
  duringRequest: (method: string) => Promise<void> = async () => undefined;
  readonly client: AlertClient;

  constructor({ auth = bearer, hasCaBundle = false, limits }: Facts = {}) {
    const prod = connection();
    const caBundleRef: CaBundleRef = { kind: 'ConfigMap', name: 'ca', key: 'ca.crt' };
    const clientFactory = factoryOn(this.clock, {
      credentials: {
        readSecretValue: async () => new SecretText(await this.#read('secret')),
        readConfigMapValue: () => this.#read('caBundle'),
      },
      serviceAccounts: {
        readIdentity: async () => new SecretText(await this.#read('secret')),
        requestToken: async () => this.#issueAssertion(),
      },
      isBeingDeleted: () => this.isBeingDeleted,
      openDispatcher: (caBundle?: string) => this.#open(caBundle),
    });
    this.client = clientFactory.open({
      ...prod,
      spec: {
        ...prod.spec,
        auth,
        endpoint: { ...prod.spec.endpoint, baseURL: 'https://alerts.example', ...(hasCaBundle && { caBundleRef }) },
        limits: { ...prod.spec.limits, ...limits },
      },
    });
  }

  /** `listed`, or the code of the failure. */
  list(): Promise<string> {
    return codeOf(this.client.listAlerts('subscriptions/a', this.#call()), 'listed');
  }

  /** `patched`, or the code of the failure. */
  patch(): Promise<string> {
    const call = { ...this.#call(), beforeSend: () => undefined };
    return codeOf(this.client.patchAlert('subscriptions/a', 'A', false, call), 'patched');
  }

  async after(ms: number, ask: () => Promise<string>): Promise<string> {
    await this.clock.advance(ms);
    const answer = ask();
    await settlePromises();
    await settlePromises();
    return answer;
  }

  #call() {
    return { priority: 'high' as const, signal: new AbortController().signal };
  }

  async #read(what: 'secret' | 'caBundle'): Promise<string> {
    this.reads[what] += 1;
    await this.duringReading();
    const value = this[what];
    if (value instanceof CodedError) throw value;
    return value;
  }

  #grantFor(credential: string): object {
    return { access_token: `for-${credential}`, token_type: 'Bearer', expires_in: this.accessSeconds };
  }

  async #issueAssertion() {
    await this.duringReading();
    if (this.assertionFailure) throw this.assertionFailure;
    this.assertions += 1;
    return new SecretText(`assertion-${this.assertions}`);
  }

  #open(caBundle: string | undefined): AnsweringDispatcher {
    const dispatcher = new AnsweringDispatcher((request) => this.#answer(request, caBundle));
    this.dispatchers.push(dispatcher);
    return dispatcher;
  }

  async #answer({ method, path, headers, body }: SeenRequest, caBundle: string | undefined): Promise<ScriptedAnswer> {
    await this.duringHandshake();
    if (caBundle !== undefined && caBundle !== this.authority) {
      throw Object.assign(new Error('unable to verify'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    }
    const credential = assertionIn(body) ?? credentialOf(headers['authorization'] ?? '');
    this.sent.push(`${path.startsWith('/token') ? 'TOKEN' : method} ${credential}`);
    await this.duringRequest(method);
    if (this.refused.has(credential)) return { status: 401 };
    if (path.startsWith('/token')) return { status: 200, body: this.#grantFor(credential) };
    return method === 'PATCH' ? { status: 204 } : { status: 200, body: { value: [] } };
  }
}

function assertionIn(body: string): string | undefined {
  return new URLSearchParams(body).get('client_assertion') ?? undefined;
}

function credentialOf(authorization: string): string {
  const [kind, value = ''] = authorization.split(' ');
  if (kind !== 'Basic') return value;
  return Buffer.from(value, 'base64').toString('utf8').split(':')[1] ?? '';
}

function codeOf(call: Promise<unknown>, done: string): Promise<string> {
  return call.then(
    () => done,
    (error: unknown) => (isCoded(error) ? error.code : String(error)),
  );
}
