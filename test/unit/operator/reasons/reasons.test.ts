// The messages of the reasons, on which users' alerts and dashboards rely.
import { describe, expect, it } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { networkFailure } from '../../../../src/operator/alert-client/http-call.ts';
import { failureOf } from '../../../../src/operator/decide/failures.ts';
import { factsOfConnection, factsOfPolicy, type MessageFacts } from '../../../../src/operator/reasons/message-facts.ts';
import { explainReason } from '../../../../src/operator/reasons/reason-notes.ts';
import {
  capacityReasons,
  conditionMessage,
  connectionReasons,
  policyReasons,
  type Reason,
  type ReasonText,
} from '../../../../src/operator/reasons/reasons.ts';
import { clusterNamespace, connection, federatedAuth, policy } from '../../../support/builders/objects.ts';

const texts: Readonly<Record<Reason, ReasonText>> = { ...policyReasons, ...connectionReasons, ...capacityReasons };
const reasons = Object.keys(texts) as Reason[];
const facts: MessageFacts = {
  ...factsOfConnection(connection(), clusterNamespace),
  scope: 'subscriptions/a',
  alerts: 'Alert A',
  serviceCode: 'Nope',
  cause: 'Unauthorized',
  needed: 4000,
  allowed: 3600,
  fittingInterval: '17m',
};

describe.each(reasons)('%s', (reason) => {
  it('has sentences without an unknown placeholder, whatever is known', () => {
    for (const known of [facts, {}]) {
      expect(conditionMessage(reason, known)).toMatch(/^[A-Z][^{}]*\.$/);
    }
    expect(explainReason(reason).more ?? 'None.').toMatch(/^[A-Z`].*\.$/);
  });
});

const naming = (text: string) => reasons.filter((reason) => conditionMessage(reason, facts).includes(text));

it('the reasons about a credential name its Secret and key, and no other reason does', () => {
  expect(naming('Secret team/credentials, key token')).toEqual([
    'SecretNotFound',
    'SecretInvalid',
    'SecretNotAllowed',
    'Unauthorized',
    'TokenEndpointFailed',
  ]);
});

it('the sentence on a dismissal that needs an end in any case does not propose to name its incidents', () => {
  const { limits } = connection().spec;
  const strict = connection({ limits: { ...limits, dismissalsNeedEnd: true } });
  const said = (through: typeof strict) =>
    conditionMessage('DismissalTooLong', factsOfConnection(through, clusterNamespace));
  expect(said(connection())).toMatch(/lists no incidents and ends later.*or list the covered incidents/);
  expect(said(strict)).toMatch(/has no end, or ends later.*`until`, which limits\.dismissalsNeedEnd requires/);
});

describe('a request without a usable response', () => {
  const caBundleRef = { kind: 'ConfigMap', name: 'authority', key: 'ca.crt' } as const;
  const bundled = connection({ endpoint: { ...connection().spec.endpoint, caBundleRef } });
  const clientSecretRef = { name: 'credentials', key: 'token' };
  const clientCredentials = { tokenURL: 'https://login.example/token', clientID: 'operator', clientSecretRef };
  const withClient = connection({ auth: { clientCredentials } });
  const ofNode = (code: string) => networkFailure(Object.assign(new Error(code), { code })) as AlertsError;
  const failing = (status: number) => new AlertsError('service-unreachable', 'failed', { status });
  const atToken = ({ reason, status }: AlertsError) =>
    new AlertsError('token-endpoint-failed', 'x', { reason, status });
  const said = (error: AlertsError, through = connection()) => {
    const { connection: reason, networkCause } = failureOf(error);
    return conditionMessage(reason, { ...factsOfConnection(through, clusterNamespace), networkCause });
  };

  it.each([
    [
      ofNode('ENOTFOUND'),
      'has a host name that cannot be resolved; the operator retries. Check the host in endpoint.baseURL, and DNS.',
    ],
    [ofNode('ECONNREFUSED'), 'refuses the connection; the operator retries. Check the port in endpoint.baseURL,'],
    [ofNode('UND_ERR_CONNECT_TIMEOUT'), 'did not respond in time; the operator retries. Check firewalls'],
    [ofNode('ECONNRESET'), 'closed the connection without a response; the operator retries. Check the server'],
    [failing(503), 'fails with status 503; the operator retries. Check the log of the server'],
    [ofNode('EPIPE'), 'did not answer or failed; the operator retries. Check the network, DNS and the service.'],
  ])('%s', (error, expected) => {
    expect(said(error)).toContain(`Connection team/prod: the service at https://service.example ${expected}`);
  });

  it.each([
    [ofNode('ENOTFOUND'), 'has a host name that cannot be resolved. Check the host in tokenURL, and DNS.'],
    [ofNode('ECONNREFUSED'), 'refuses the connection. Check the port in tokenURL,'],
    [failing(500), 'fails with status 500. Check the log of the server'],
    [
      failing(401),
      'issued no token for the client secret in Secret team/credentials, key token. Check tokenURL, clientID',
    ],
  ])('of the token endpoint: %s', (error, expected) => {
    const message = said(atToken(error), withClient);
    expect(message).toContain(`the token endpoint https://login.example/token ${expected}`);
    expect(message.includes('client secret')).toBe(error.status === 401);
  });

  it.each([
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      connection(),
      'the authority of the certificate is unknown: it is not a public one. Check who issued the certificate, and set endpoint.caBundleRef',
    ],
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      bundled,
      'the authority of the certificate is unknown: it is not in ConfigMap team/authority, key ca.crt. Check who issued the certificate, and add',
    ],
    ['CERT_HAS_EXPIRED', bundled, 'the certificate has expired. Check why the certificate was not renewed;'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', bundled, 'the certificate is for another host name. Check the host'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', bundled, 'the port does not serve TLS. Check the port'],
  ])('without trust: %s', (code, through, expected) => {
    expect(said(ofNode(code), through)).toContain(`to https://service.example can be made, because ${expected}`);
  });
});

describe('a connection that acts as a ServiceAccount', () => {
  const about = (reason: Reason) =>
    conditionMessage(reason, factsOfConnection(connection({ auth: federatedAuth }), clusterNamespace));

  it.each<[Reason, string]>([
    ['ServiceAccountNotFound', 'ServiceAccount team/alerts: '],
    ['ServiceAccountNotAllowed', 'ServiceAccount team/alerts: '],
    ['TokenRequestFailed', 'ServiceAccount team/alerts: '],
    ['AudienceNotAllowed', 'the API server accepts the audience api://alerts,'],
    [
      'Unauthorized',
      'ServiceAccount team/alerts: the service at https://service.example refuses the credential. Renew the access of ',
    ],
    [
      'TokenEndpointFailed',
      'https://login.example/token issued no token for ServiceAccount team/alerts, audience api://alerts. Check tokenURL, clientID, scopes, and the issuer, subject and audience ',
    ],
  ])('has it named by %s', (reason, said) => {
    expect(about(reason)).toContain(said);
    expect(about(reason)).not.toContain('Secret');
    expect(about(reason).length).toBeLessThanOrEqual(300);
  });
});

it('the reasons about an address name the URL of the service and that of the token endpoint', () => {
  const tokenURL = 'https://login.example/token';
  const about = (reason: Reason) => conditionMessage(reason, { ...facts, tokenURL });
  expect(about('InvalidEndpoint')).toContain(`the address https://service.example or the token URL ${tokenURL}.`);
  expect(about('TLSFailed')).toContain(`to https://service.example or the token URL ${tokenURL} can`);
  expect(about('TokenEndpointFailed')).toContain(`the token endpoint ${tokenURL} issued`);
  expect(about('HostNotAllowed')).toContain('does not include one of the hosts service.example and ');
  expect(conditionMessage('HostNotAllowed', facts)).toContain('does not include the host service.example;');
  expect(conditionMessage('InvalidEndpoint', facts)).toContain('the address https://service.example.');
});

it('the token URL is named without user and query', () => {
  const clientSecretRef = { name: 'credentials', key: 'token' };
  const named = (tokenURL: string) => {
    const auth = { clientCredentials: { tokenURL, clientID: 'a', scopes: [], clientSecretRef } };
    return factsOfConnection(connection({ auth }), clusterNamespace).tokenURL;
  };
  expect(named('https://me:s3cret@login.example/token?code=s3cret#s3cret')).toBe('https://login.example/token');
  expect(named('s3cret')).toBeUndefined();
});

it('the reason of a missing CA bundle names its ConfigMap', () => {
  const bundled = connection({
    endpoint: { ...connection().spec.endpoint, caBundleRef: { kind: 'ConfigMap', name: 'corp-ca', key: 'ca.crt' } },
  });
  expect(conditionMessage('CABundleNotFound', factsOfConnection(bundled, clusterNamespace))).toMatch(
    /^ConfigMap team\/corp-ca, key ca\.crt: the CA bundle of connection team\/prod /,
  );
});

it.each([
  ['Observe', 'Observe', 'because spec.mode is Observe. To have drift corrected, set spec.mode to Enforce.'],
  [
    'Enforce',
    'Observe',
    'because the operator runs with --read-only. To have drift corrected, start the operator without',
  ],
  [
    'Enforce',
    'Enforce',
    'because the policy is being deleted. To have drift corrected, create it again after its deletion.',
  ],
] as const)('drift that is only reported has its cause: mode %s, %s in effect', (mode, effective, said) => {
  const known = factsOfPolicy(policy({ spec: { mode } }), {
    mode: effective,
    interval: '15m0s',
    scope: 'subscriptions/a',
  });
  expect(conditionMessage('Observed', known)).toContain(said);
  expect(conditionMessage('ObserveOnly', known)).toContain(said.slice(0, said.indexOf('.')));
});

it('a suspension has its end, unless no time ends it', () => {
  const said = (suspendUntil?: string) => {
    const spec = { suspend: true, ...(suspendUntil !== undefined && { suspendUntil }) };
    const effective = { mode: 'Enforce', interval: '15m0s', scope: 'subscriptions/a' } as const;
    return conditionMessage('Suspended', factsOfPolicy(policy({ spec }), effective));
  };
  expect(said('2026-12-24T00:00:00Z')).toBe(
    'Reconciliation of this policy is suspended until 2026-12-24T00:00:00Z. Set spec.suspend to false and remove spec.suspendUntil to resume it earlier.',
  );
  const endless = 'Reconciliation of this policy is suspended. Set spec.suspend to false to resume it.';
  expect([said(), said('tomorrow')]).toEqual([endless, endless]);
});

it('the reasons that the service explains have its code', () => {
  expect(naming('(error code Nope)')).toEqual(['ScopeRejected', 'ScopeForbidden', 'ScopeNotFound', 'CorrectionFailed']);
});

it('a reason without anything to name has one sentence for all objects', () => {
  const constant = reasons.filter((reason) => conditionMessage(reason, facts) === conditionMessage(reason));
  expect(constant).toEqual(['Pending', 'Succeeded', 'InSync', 'Suspended', 'NoIncidents', 'Connected']);
});

it('a denied deactivation through a connection that is being deleted names the deletion', () => {
  const allowing = connection();
  const deleted = { ...allowing, metadata: { ...allowing.metadata, deletionTimestamp: '2026-06-01T12:00:00Z' } };
  expect(conditionMessage('DeactivationDenied', factsOfConnection(deleted, clusterNamespace))).toMatch(
    / connection team\/prod does not allow deactivation \(it is being deleted\)\. .* create the connection again after its deletion, /,
  );
});
