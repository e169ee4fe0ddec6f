// Failures of a connection: its credential, its token endpoint, the way to the service.
import { canaryToken } from '../../support/checks/canaries.ts';
import type { Fate } from '../engine/types.ts';
import { addScope, createPolicy, namespace } from '../fixture.ts';
import { serviceOrigin, untrustedOrigin } from '../world.ts';
import type { Failure, Stage } from './failure.ts';

const object = 'RoleAlertConnection/prod';
const secret = [/\bSecret\b/, /\bteam\/credential\b/, /\btoken\b/];

const tokenURL = `${serviceOrigin}/token`;
const clientSecretRef = { name: 'credential', key: 'token' };
const client = { clientCredentials: { tokenURL, clientID: 'operator', scopes: ['alerts'], clientSecretRef } };

const federated = { tokenURL, clientID: 'operator', serviceAccountName: 'alerts', audience: 'api://alerts' };
const account = [/\bServiceAccount team\/alerts\b/];

/** The ServiceAccount `alerts`, which consents to its audience, and which the service trusts. */
function addAccount({ world: { api, service } }: Stage): void {
  const { audience } = federated;
  const annotations = { 'rolealerts.dev/federated-audience': audience };
  api.writes.create(api.resource('serviceaccounts'), namespace, { metadata: { name: 'alerts', annotations } });
  service.accounts.trusts.set('operator', { account: 'team/alerts', audience });
}

const onService =
  (fate: Fate) =>
  ({ setFate }: Stage): void =>
    setFate(({ origin }) => (origin === serviceOrigin ? fate : undefined));

export const connectionFailures: readonly Failure[] = [
  {
    title: 'the Secret of the connection does not exist',
    before: ({ world: { api } }) => void api.writes.delete(api.resource('secrets'), namespace, 'credential'),
    clue: { object, reason: 'SecretNotFound', cause: secret, fix: /\bcreate\b/i },
  },
  {
    title: 'the Secret has lost its label',
    after: ({ world: { api } }) => {
      const sent = { metadata: { name: 'credential' }, data: { token: Buffer.from(canaryToken).toString('base64') } };
      api.writes.replace(api.resource('secrets'), namespace, 'credential', sent);
    },
    clue: { object, reason: 'SecretNotAllowed', cause: secret, fix: /\blabel\b.*rolealerts\.dev\/credential/i },
  },
  {
    title: 'the ServiceAccount has lost its annotation',
    connection: { auth: { federated } },
    before: addAccount,
    after: ({ world: { api } }) =>
      void api.writes.replace(api.resource('serviceaccounts'), namespace, 'alerts', { metadata: { name: 'alerts' } }),
    clue: {
      object,
      reason: 'ServiceAccountNotAllowed',
      cause: [...account, /\bannotation\b/],
      fix: /\bannotate\b.*rolealerts\.dev\/federated-audience=api:\/\/alerts/i,
    },
    other: { log: { fix: /\bannotate\b/ } },
  },
  {
    title: 'the operator may not create tokens of the ServiceAccount',
    connection: { auth: { federated } },
    before: (stage) => {
      addAccount(stage);
      stage.world.api.isDenied = ({ isToken }) => isToken;
    },
    clue: {
      object,
      reason: 'TokenRequestFailed',
      cause: [...account, /\bno token\b/],
      fix: /\bRole of deploy\/federated\b/,
    },
    other: { events: { cause: [/\bmay not create a token of ServiceAccount team\/alerts\b/] } },
  },
  {
    title: 'the ConfigMap of the CA bundle does not exist',
    connection: { endpoint: { baseURL: serviceOrigin, caBundleRef: { name: 'corp-ca', key: 'ca.crt' } } },
    clue: {
      object,
      reason: 'CABundleNotFound',
      cause: [/\bConfigMap team\/corp-ca\b/, /\bca\.crt\b/],
      fix: /\bcreate\b/i,
    },
  },
  {
    title: 'the token has expired',
    after: ({ world }) => world.service.staticTokens.clear(),
    clue: { object, reason: 'Unauthorized', cause: [/\brefuses the credential\b/, ...secret], fix: /\brenew\b/i },
  },
  {
    title: 'nothing listens at the address of the service',
    after: onService({ kind: 'refuse' }),
    clue: { object, reason: 'CircuitOpen', cause: [/\brefuses the connection\b/], fix: /\bcheck\b.*\bnetwork\b/i },
    other: { events: { reason: 'Unreachable' } },
  },
  {
    title: 'the certificate of the service is not trusted',
    connection: { endpoint: { baseURL: untrustedOrigin } },
    clue: {
      object,
      reason: 'TLSFailed',
      cause: [/\bauthority of the certificate is unknown\b/i],
      fix: /\bcaBundleRef\b/,
    },
  },
  {
    title: 'the token endpoint refuses the client',
    connection: { auth: client },
    clue: { object, reason: 'TokenEndpointFailed', cause: [/\btoken endpoint\b/i], fix: /\bclientID\b/ },
    other: {
      events: { cause: [/\btoken endpoint \S+ rejected the request with status \d+/] },
      log: { cause: [/\btoken endpoint \S+ rejected the request with status \d+/] },
    },
  },
  {
    title: 'the operator does not allow the host',
    connection: { endpoint: { baseURL: 'https://alerts.example' } },
    clue: { object, reason: 'HostNotAllowed', cause: [/\balerts\.example\b/, /--allowed-hosts\b/], fix: /\brestart\b/ },
  },
  {
    title: 'the operator does not allow plain HTTP',
    connection: { endpoint: { baseURL: serviceOrigin.replace('https', 'http') } },
    clue: { object, reason: 'InvalidEndpoint', cause: [/\bhttp:/], fix: /--allow-http\b/ },
  },
  {
    title: 'the API server accepts the audience of the ServiceAccount',
    connection: { auth: { federated } },
    values: { apiAudiences: [federated.audience] },
    before: addAccount,
    clue: { object, reason: 'AudienceNotAllowed', cause: [/\bapi:\/\/alerts\b/], fix: /\baudience\b/ },
  },
  {
    title: 'the policies need more requests than the connection may send',
    connection: { limits: { requestsPerHour: 60, minInterval: '1m' } },
    policy: { interval: '30s' },
    before: ({ world }) => {
      addScope(world, 'subscriptions/b', { A: true });
      createPolicy(world, 'other', {
        scope: 'subscriptions/b',
        interval: '1m',
        alerts: [{ name: 'A', state: 'Active' }],
      });
    },
    clue: { object, reason: 'BudgetTooSmall', cause: [/\b120\b/, /\b60\b/], fix: /\braise\b|\bintervals?\b/i },
    silent: { get: 'the connection works; its column Capacity is in the wide table only' },
  },
  {
    title: 'the service throttles every request for hours',
    after: onService({
      kind: 'replace',
      answer: { status: 429, headers: { 'retry-after': '600' }, body: '{"error":{"code":"TooManyRequests"}}' },
    }),
    clue: { object, reason: 'Throttled', cause: [/\bthrottl/i], fix: /\bintervals?\b/ },
    // A pause is no event; only one that lasts is, of each policy.
    other: { events: { object: 'RoleAlertPolicy/owners', reason: 'Stale' } },
  },
  {
    title: 'the CRDs are older than the operator',
    before: ({ world }) => void world.api.writes.unknownMembers.add('recentDeactivations'),
    clue: {
      object,
      reason: 'CRDOutdated',
      cause: [/\bCRDs are older\b/],
      fix: /\bkubectl apply --server-side -k crds\b/,
    },
    silent: { events: 'the log line of the condition is a warning' },
  },
];
