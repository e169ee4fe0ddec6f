// As which ServiceAccounts a connection may act, and for which audiences.
import { describe, expect, it } from 'vitest';

import { type CodedError, isCoded } from '../../../../src/lib/errors.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import { errorOfStatus, unreachable } from '../../../../src/operator/kube/kube-error.ts';
import { createServiceAccounts } from '../../../../src/operator/kube/service-accounts.ts';
import type { KubeRequest, KubeTransport } from '../../../../src/operator/kube/transport.ts';

const signal = new AbortController().signal;
const account = { namespace: 'team', name: 'alerts', audience: 'api://alerts' };
const identity = new SecretText('uid-1');
const issuer = 'https://kubernetes.default.svc';
const accountPath = '/api/v1/namespaces/team/serviceaccounts/alerts';
const consenting = { metadata: { uid: 'uid-1', annotations: { 'rolealerts.dev/federated-audience': 'api://alerts' } } };

/** A token as the API server signs it, for these audiences. */
function tokenFor(...aud: readonly string[]): string {
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part({ sub: 'system:serviceaccount:team:alerts', aud })}.canary-signature`;
}

const issued = (token = tokenFor('api://alerts'), expirationSeconds: unknown = 600) => ({
  spec: { expirationSeconds },
  status: { token },
});

interface Answers {
  /** An object, a status of a failure, or an error. */
  readonly account?: object | number | Error;
  readonly token?: object | number | Error;
  readonly discovery?: object | number | Error;
  readonly own?: string;
  readonly declared?: readonly string[];
}

function open(answers: Answers = {}) {
  const requests: KubeRequest[] = [];
  const answerTo = ({ path }: KubeRequest) => {
    if (path === '/.well-known/openid-configuration') return answers.discovery ?? { issuer };
    if (path === `${accountPath}/token`) return answers.token ?? issued();
    return answers.account ?? consenting;
  };
  const transport: Pick<KubeTransport, 'request'> = {
    request: async <T>(request: KubeRequest) => {
      requests.push(request);
      const answer = answerTo(request);
      if (answer instanceof Error) throw answer;
      if (typeof answer === 'number') throw errorOfStatus({ code: answer, message: 'in the words of the API server' });
      return answer as T;
    },
  };
  const connection = { headers: async () => ({ authorization: `Bearer ${answers.own ?? 'opaque'}` }) };
  const issuing = { transport: transport as KubeTransport, connection, apiAudiences: answers.declared ?? [] };
  return { accounts: createServiceAccounts(issuing), requests };
}

async function failureOf(call: Promise<unknown>): Promise<CodedError> {
  const error = await call.catch((thrown: unknown) => thrown);
  if (!isCoded(error)) throw new Error('nothing was refused');
  expect(JSON.stringify([error.message, error.detail, error.stack])).not.toContain('canary');
  return error;
}

describe('the identity of a ServiceAccount', () => {
  it('is its uid, read by name and without its body', async () => {
    const { accounts, requests } = open();
    expect((await accounts.readIdentity(account, signal)).reveal()).toBe('uid-1');
    expect(requests).toMatchObject([{ verb: 'get', path: accountPath, answer: 'metadata' }]);
  });

  it.each<[string, object | number, string, string]>([
    ['no ServiceAccount', 404, 'credential-missing', 'ServiceAccountNotFound'],
    ['no annotation', { metadata: { uid: 'uid-1' } }, 'credential-not-allowed', 'ServiceAccountNotAllowed'],
    [
      'an audience that differs in case',
      { metadata: { uid: 'uid-1', annotations: { 'rolealerts.dev/federated-audience': 'API://alerts' } } },
      'credential-not-allowed',
      'ServiceAccountNotAllowed',
    ],
    ['no permission', 403, 'credential-not-allowed', 'TokenRequestFailed'],
    ['a response without a uid', { metadata: { ...consenting.metadata, uid: '' } }, 'kube-unreachable', 'BadAnswer'],
  ])('is refused for %s', async (_, answer, code, reason) => {
    const error = await failureOf(open({ account: answer }).accounts.readIdentity(account, signal));
    expect([error.code, error.reason ?? '']).toEqual([code, reason]);
  });

  it.each<[string, number | Error]>([
    ['does not respond', unreachable('away')],
    ['is hidden by the page of a proxy', unreachable('no JSON', { status: 200, reason: 'BadAnswer' })],
  ])('stays as it was last read while the API server %s', async (_, answer) => {
    const error = await failureOf(open({ account: answer }).accounts.readIdentity(account, signal));
    expect(error.code).toBe('kube-unreachable');
  });
});

describe('a token of a ServiceAccount', () => {
  it('is requested for the one audience and ten minutes', async () => {
    const { accounts, requests } = open();
    const token = await accounts.requestToken(account, identity, signal);
    expect(token.reveal()).toBe(tokenFor('api://alerts'));
    expect(String(token)).toBe('[redacted]');
    expect(requests.at(-1)).toMatchObject({ verb: 'create', path: `${accountPath}/token` });
    expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { uid: 'uid-1' },
      spec: { audiences: ['api://alerts'], expirationSeconds: 600 },
    });
  });

  it.each<[string, object | number, string, string]>([
    ['that does not exist any more', 404, 'credential-missing', 'ServiceAccountNotFound'],
    ['that was created again since it consented', 409, 'credential-missing', 'ServiceAccountNotFound'],
    ['without the permission', 403, 'credential-not-allowed', 'TokenRequestFailed'],
    ['that the API server cannot sign', 500, 'token-endpoint-failed', 'TokenRequestFailed'],
    ['while the API server is under load', 429, 'kube-unreachable', ''],
    ['without a token in the response', { status: {} }, 'token-endpoint-failed', 'TokenRequestFailed'],
    ['for another audience', issued(tokenFor(issuer)), 'token-endpoint-failed', 'TokenRequestFailed'],
    ['for two audiences', issued(tokenFor('api://alerts', issuer)), 'token-endpoint-failed', 'TokenRequestFailed'],
    ['that is no token', issued('canary'), 'token-endpoint-failed', 'TokenRequestFailed'],
  ])('is refused %s', async (_, answer, code, reason) => {
    const error = await failureOf(open({ token: answer }).accounts.requestToken(account, identity, signal));
    expect([error.code, error.reason ?? '']).toEqual([code, reason]);
  });
});

describe('an audience that the API server accepts', () => {
  const refused = async (answers: Answers) => {
    const { accounts, requests } = open(answers);
    const error = await failureOf(accounts.requestToken(account, identity, signal));
    return { error, paths: requests.map(({ path }) => path) };
  };

  it.each<[string, Answers]>([
    ['its issuer', { discovery: { issuer: 'api://alerts' } }],
    ["one of the operator's own token", { own: tokenFor('other', 'api://alerts') }],
    ["the only one of the operator's own token", { own: `a.${btoa('{"aud":"api://alerts"}')}.b` }],
    ['one of --api-audiences', { declared: ['api://alerts'] }],
  ])('is refused when it is %s', async (_, answers) => {
    const { error, paths } = await refused(answers);
    expect([error.code, error.reason]).toEqual(['credential-not-allowed', 'AudienceNotAllowed']);
    expect(paths).not.toContain(`${accountPath}/token`);
  });

  it.each<[string, object | number, string, string]>([
    ['may not be read', 403, 'credential-not-allowed', 'TokenRequestFailed'],
    ['does not exist', 404, 'token-endpoint-failed', 'TokenRequestFailed'],
    ['is in no known form', { issuer: 5 }, 'token-endpoint-failed', 'TokenRequestFailed'],
    ['cannot be read now', 429, 'kube-unreachable', ''],
  ])('cannot be excluded when the issuer %s, so no token is requested', async (_, discovery, code, reason) => {
    const { error, paths } = await refused({ discovery });
    expect([error.code, error.reason ?? '']).toEqual([code, reason]);
    expect(paths).not.toContain(`${accountPath}/token`);
  });
});
