// Failures of a connection: its credential, its token endpoint, the way to the service.
import { canaryToken } from '../../support/checks/canaries.ts';
import type { Fate } from '../engine/types.ts';
import { addScope, createPolicy, namespace } from '../fixture.ts';
import { clusterIssuer } from '../kube/token-requests.ts';
import { serviceOrigin, untrustedOrigin, type World } from '../world.ts';
import type { Failure, Stage } from './failure.ts';

const object = 'RoleAlertConnection/prod';
const secret = [/\bSecret\b/, /\bteam\/credential\b/, /\btoken\b/];

function replaceSecret({ api }: World, labels: Readonly<Record<string, string>>, data: object): void {
  const sent = { metadata: { name: 'credential', labels }, data };
  api.writes.replace(api.resource('secrets'), namespace, 'credential', sent);
}

const labelled = { 'rolealerts.dev/credential': 'true' };
const tokenURL = `${serviceOrigin}/token`;
const clientSecretRef = { name: 'credential', key: 'token' };
const client = { clientCredentials: { tokenURL, clientID: 'operator', scopes: ['alerts'], clientSecretRef } };

const federated = { tokenURL, clientID: 'operator', serviceAccountName: 'alerts', audience: 'api://alerts' };
const account = [/\bServiceAccount team\/alerts\b/];

/** The ServiceAccount `alerts`, which consents to this audience, and which the service trusts. */
const withAccount =
  (audience?: string) =>
  ({ world: { api, service } }: Stage): void => {
    const annotations = audience === undefined ? {} : { 'rolealerts.dev/federated-audience': audience };
    api.writes.create(api.resource('serviceaccounts'), namespace, { metadata: { name: 'alerts', annotations } });
    service.accounts.trusts.set('operator', { account: 'team/alerts', audience: 'api://alerts' });
  };

const onService =
  (fate: Fate) =>
  ({ setFate }: Stage): void =>
    setFate(({ origin }) => (origin === serviceOrigin ? fate : undefined));

const onToken =
  (fate: Fate) =>
  ({ setFate }: Stage): void =>
    setFate(({ path }) => (path.startsWith('/token') ? fate : undefined));

export const connectionFailures: readonly Failure[] = [
  {
    title: 'the Secret of the connection does not exist',
    before: ({ world: { api } }) => void api.writes.delete(api.resource('secrets'), namespace, 'credential'),
    clue: { object, reason: 'SecretNotFound', cause: secret, fix: /\bcreate\b/i },
  },
  {
    title: 'the Secret has lost its label',
    after: ({ world }) => replaceSecret(world, {}, { token: Buffer.from(canaryToken).toString('base64') }),
    clue: { object, reason: 'SecretNotAllowed', cause: secret, fix: /\blabel\b.*rolealerts\.dev\/credential/i },
  },
  {
    title: 'the Secret does not have the key',
    after: ({ world }) => replaceSecret(world, labelled, { tokn: Buffer.from(canaryToken).toString('base64') }),
    clue: { object, reason: 'SecretNotFound', cause: [...secret, /\bkey\b/], fix: /\bcreate\b/i },
  },
  {
    title: 'the value in the Secret is no token',
    after: ({ world }) => replaceSecret(world, labelled, { token: Buffer.from('two words').toString('base64') }),
    clue: { object, reason: 'SecretInvalid', cause: [...secret, /\bvalue\b/], fix: /\bcorrect\b/i },
  },
  {
    title: 'the ServiceAccount of the connection does not exist',
    connection: { auth: { federated } },
    clue: { object, reason: 'ServiceAccountNotFound', cause: [...account, /\bdoes not exist\b/], fix: /\bcreate\b/i },
  },
  {
    title: 'the ServiceAccount has lost its annotation',
    connection: { auth: { federated } },
    before: withAccount('api://alerts'),
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
      withAccount('api://alerts')(stage);
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
    title: 'the API server accepts the audience itself',
    connection: { auth: { federated: { ...federated, audience: clusterIssuer } } },
    before: withAccount(clusterIssuer),
    clue: {
      object,
      reason: 'AudienceNotAllowed',
      cause: [/\bAPI server accepts the audience https:\/\/kubernetes\.sim\b/],
      fix: /\bauth\.federated\.audience\b/,
    },
  },
  {
    title: 'the token endpoint does not trust the ServiceAccount',
    connection: { auth: { federated: { ...federated, audience: 'api://other' } } },
    before: withAccount('api://other'),
    clue: {
      object,
      reason: 'TokenEndpointFailed',
      cause: [...account, /\baudience api:\/\/other\b/],
      fix: /\bissuer, subject and audience\b/,
    },
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
    title: 'the name of the service cannot be resolved',
    after: onService({ kind: 'name-not-found' }),
    clue: {
      object,
      reason: 'CircuitOpen',
      cause: [/\bhost name\b.*\bcannot be resolved\b/],
      fix: /\bcheck\b.*\bDNS\b/i,
    },
    other: { events: { reason: 'Unreachable' } },
  },
  {
    title: 'the service fails inside',
    after: onService({ kind: 'replace', answer: { status: 503, body: '' } }),
    clue: { object, reason: 'CircuitOpen', cause: [/\bfails with status 503\b/], fix: /\blog of the server\b/ },
    other: { events: { reason: 'Unreachable' } },
  },
  {
    title: 'the service does not respond',
    after: onService({ kind: 'black-hole' }),
    clue: { object, reason: 'CircuitOpen', cause: [/\bdid not respond in time\b/], fix: /\bfirewalls\b/ },
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
    title: 'the token endpoint is down',
    connection: { auth: client },
    before: onToken({ kind: 'refuse' }),
    clue: {
      object,
      reason: 'TokenEndpointFailed',
      cause: [/\btoken endpoint https:\/\/\S+ refuses the connection\b/i],
      fix: /\bport in tokenURL\b/,
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
    title: 'the operator does not allow the endpoint',
    connection: { endpoint: { baseURL: 'http://alerts.sim' } },
    clue: { object, reason: 'InvalidEndpoint', cause: [/\bnot allow/, /http:\/\/alerts\.sim/], fix: /--allow-http\b/ },
  },
  {
    title: 'the operator does not allow the host',
    connection: { endpoint: { baseURL: 'https://alerts.example' } },
    clue: { object, reason: 'HostNotAllowed', cause: [/\balerts\.example\b/, /--allowed-hosts\b/], fix: /\brestart\b/ },
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
