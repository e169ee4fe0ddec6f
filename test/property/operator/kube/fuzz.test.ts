// Every response that an API server, or a proxy before it, can send: nothing throws but an error with a code, nothing is
// lost, and nothing takes longer than what was sent.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { CodedError } from '../../../../src/lib/errors.ts';
import { silentLogger } from '../../../../src/lib/log.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import { createLineSplitter } from '../../../../src/operator/kube/api-server-call.ts';
import { createCredentialReader } from '../../../../src/operator/kube/credentials.ts';
import { decodeStatusObject, errorFromResponse } from '../../../../src/operator/kube/kube-error.ts';
import { createReflector } from '../../../../src/operator/kube/reflector.ts';
import { audiencesOf, createServiceAccounts } from '../../../../src/operator/kube/service-accounts.ts';
import type { KubeRequest, KubeTransport } from '../../../../src/operator/kube/transport.ts';
import { decodePolicy } from '../../../../src/policy/decode-resources.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { errorCodes } from '../../../support/builders/errors.ts';
import { awkwardText, fuzz, jsonText, mutated, mutatedBytes } from '../../../support/builders/mutate-json.ts';
import { policy } from '../../../support/builders/objects.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const status = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'Expired',
  message: 'too old resource version: 1 (2)',
  code: 410,
  details: { retryAfterSeconds: 1 },
};

/** The server's side of one collection: what it lists, and the lines of its watches, one batch a watch. */
function scripted(list: unknown, batches: readonly (readonly Buffer[])[]) {
  let requests = 0;
  const waiting = [...batches];
  const transport: KubeTransport = {
    request: async <T>() => {
      requests++;
      return list as T;
    },
    send: async () => ({ status: 200, headers: {}, body: '' }),
    watch: async ({ signal }) => {
      requests++;
      const ended = Promise.withResolvers<undefined>();
      signal?.addEventListener('abort', () => ended.resolve(undefined));
      const batch = waiting.shift();
      let isRead = false;
      return {
        read: async () => {
          if (batch === undefined) return ended.promise;
          if (isRead) return undefined;
          isRead = true;
          return batch;
        },
        close: () => ended.resolve(undefined),
      };
    },
  };
  /** From now on the server's watches are silent. */
  const fallSilent = () => void waiting.splice(0);
  return { transport, requests: () => requests, fallSilent };
}

function follow(list: unknown, batches: readonly (readonly Buffer[])[]) {
  const clock = new ManualClock();
  const server = scripted(list, batches);
  const known = new Map<string, RoleAlertPolicy>();
  const bugs: string[] = [];
  const reflector = createReflector<RoleAlertPolicy>({
    resource: { group: 'rolealerts.dev', version: 'v1alpha1', plural: 'rolealertpolicies' },
    transport: server.transport,
    clock,
    random: seededRandom(1),
    log: { ...silentLogger, child: () => silentLogger, error: (_, message) => void bugs.push(message) },
    decode: decodePolicy,
    handlers: {
      onEvent({ type, object }) {
        // What the operator reads of every event, deletions included.
        const key = `${object.metadata.namespace}/${object.metadata.name}`;
        expect(object.spec.scope.length).toBeGreaterThanOrEqual(0);
        if (type === 'deleted') known.delete(key);
        else known.set(key, object);
      },
      onSynced: () => undefined,
    },
  });
  return { clock, server, known, bugs, reflector };
}

const version = (resourceVersion: string, name = 'owners') => policy({ name, metadata: { resourceVersion } });
const event = (type: string, object: unknown) => ({ type, object });
const lineOf = (value: unknown) => Buffer.from(jsonText(value));

describe('a watch', () => {
  it('whatever its lines say, the cache holds only what can be read, and is whole again after the next list', async () => {
    const line = fc.oneof(
      mutatedBytes(event('ADDED', version('7', 'new'))),
      mutatedBytes(event('MODIFIED', version('8'))),
      mutatedBytes(event('DELETED', version('9'))),
      mutatedBytes(event('BOOKMARK', { metadata: { resourceVersion: '10' } })),
      mutatedBytes(event('ERROR', status)),
      fc.constantFrom('5', '6', '12').map((resourceVersion) => lineOf(event('MODIFIED', version(resourceVersion)))),
      fc.constantFrom('PATCHED', 'added', '').map((type) => lineOf(event(type, version('11')))),
      fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
    );
    const batches = fc.array(fc.array(line, { minLength: 1, maxLength: 6 }), { maxLength: 4 });
    const list = { metadata: { resourceVersion: '6' }, items: [version('5')] };
    const askedToWait = event('ERROR', { ...status, details: { retryAfterSeconds: 2 ** 31 } });
    const examples: [Buffer[][]][] = [[[[lineOf(askedToWait)], [lineOf(event('DELETED', version('9')))]]]];
    await fc.assert(
      fc.asyncProperty(batches, async (lines) => {
        const { clock, server, known, bugs, reflector } = follow(list, lines);
        reflector.start();
        await clock.advance(80_000);
        const cached = [...reflector.list()].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
        expect(cached.toSorted()).toEqual([...known.keys()].toSorted());
        for (const each of reflector.list()) expect(decodePolicy(each).problems).toEqual([]);
        expect(bugs).toEqual([]);
        expect(server.requests()).toBeLessThan(60);
        // A wait that the server asked for may be longer than all of this: what it did not send yet is not part of the list.
        server.fallSilent();
        const whole = reflector.relist();
        await clock.advance(1000);
        expect(await whole).toBe(true);
        expect([...known.keys()]).toEqual(['team/owners']);
        const stopped = reflector.stop();
        await stopped;
        expect(clock.pendingTimers).toBe(0);
      }),
      { examples, ...fuzz(150) },
    );
  });

  it('lists of any shape are asked for again with a growing delay, never in a loop', async () => {
    await fc.assert(
      fc.asyncProperty(
        mutated({ kind: 'List', metadata: { resourceVersion: '6', continue: '' }, items: [version('5')] }),
        async (list) => {
          const { clock, server, bugs, reflector } = follow(list, []);
          reflector.start();
          await clock.advance(30_000);
          expect(server.requests()).toBeLessThan(20);
          expect(bugs).toEqual([]);
          const stopped = reflector.stop();
          await stopped;
        },
      ),
      fuzz(100),
    );
  });

  it('an object that can no longer be read is deleted with its last readable state', async () => {
    const broken = { ...version('7'), spec: { ...version('7').spec, scope: 5 } };
    for (const type of ['MODIFIED', 'DELETED']) {
      const list = { metadata: { resourceVersion: '6' }, items: [version('5')] };
      const { clock, known, bugs, reflector } = follow(list, [[lineOf(event(type, broken))]]);
      reflector.start();
      await clock.advance(2000);
      expect([[...known.keys()], bugs]).toEqual([[], []]);
      const stopped = reflector.stop();
      await stopped;
    }
  });

  it('gives the same lines wherever the bytes are cut', () => {
    const text = `${jsonText(event('ADDED', { a: 'é語😀\u0000' }))}\n\n${jsonText(event('MODIFIED', '𝔘'))}\n`;
    const bytes = Buffer.from(text);
    const whole = text.split('\n').filter((line) => line !== '');
    for (let at = 0; at <= bytes.length; at++) {
      const splitter = createLineSplitter(1000);
      const lines = [...splitter.push(bytes.subarray(0, at)), ...splitter.push(bytes.subarray(at))];
      expect(lines.map((line) => line.toString('utf8'))).toEqual(whole);
    }
  });
});

describe('a refusal of the API server', () => {
  it('has a code and bounded words, whatever its body and its headers are', () => {
    const answers = fc.record({
      httpStatus: fc.integer({ min: 300, max: 700 }),
      body: mutatedBytes(status),
      header: awkwardText,
    });
    fc.assert(
      fc.property(answers, ({ httpStatus, body, header }) => {
        const headers = { 'retry-after': header };
        const { code, detail, reason, retryAfterMs } = errorFromResponse(
          { status: httpStatus, headers },
          body.toString(),
        );
        expect(errorCodes).toContain(code);
        expect((detail ?? '').length).toBeLessThanOrEqual(512);
        expect((reason ?? '').length).toBeLessThanOrEqual(64);
        expect(retryAfterMs ?? 1).toBeGreaterThan(0);
      }),
      fuzz(1000),
    );
    fc.assert(
      fc.property(mutated(status), (value) => void decodeStatusObject(value)),
      fuzz(300),
    );
  });
});

describe('a ServiceAccount as which a connection acts', () => {
  const audience = 'api://alerts';
  const account = { namespace: 'team', name: 'alerts', audience };
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  const token = (aud: unknown) => `${part({ alg: 'RS256' })}.${part({ sub: 'a', aud })}.signature`;
  const signal = new AbortController().signal;
  const accountsOf = (answer: unknown) => {
    const { transport } = scripted(answer, []);
    const discovery = { issuer: 'https://kubernetes.default.svc' };
    const request = async <T>(asked: KubeRequest): Promise<T> =>
      asked.path.startsWith('/.well-known/') ? (discovery as T) : transport.request<T>(asked);
    const connection = { headers: async () => ({}) };
    return createServiceAccounts({ transport: { ...transport, request }, connection, apiAudiences: [] });
  };

  it('has a uid, or a reason why it is not used, for any response', async () => {
    const object = { metadata: { uid: 'u', annotations: { 'rolealerts.dev/federated-audience': audience } } };
    await fc.assert(
      fc.asyncProperty(mutated(object), async (answer) => {
        const identity = await accountsOf(answer).readIdentity(account, signal).catch(codeOf);
        const seen = typeof identity === 'string' ? identity : identity.reveal() && 'a uid';
        expect(seen).toMatch(/^(credential-not-allowed|kube-unreachable|a uid)$/);
      }),
      fuzz(400),
    );
  });

  it('gives a token for the one audience, or none, for any response', async () => {
    const audiences = fc.oneof(
      fc.constantFrom<unknown>(audience, [audience], [], [audience, 'b'], ['b'], null, 5, {}),
      awkwardText,
    );
    const answers = fc.oneof(
      mutated({ spec: { expirationSeconds: 600 }, status: { token: token([audience]) } }),
      audiences.map((aud) => ({ spec: { expirationSeconds: 600 }, status: { token: token(aud) } })),
      awkwardText.map((text) => ({ status: { token: text } })),
    );
    await fc.assert(
      fc.asyncProperty(answers, async (answer) => {
        const identity = new SecretText('u');
        const issued = await accountsOf(answer).requestToken(account, identity, signal).catch(codeOf);
        const seen = typeof issued === 'string' ? issued : `for ${audiencesOf(issued.reveal()).join()}`;
        expect(seen).toMatch(/^(token-endpoint-failed|kube-unreachable|for api:\/\/alerts)$/);
      }),
      fuzz(400),
    );
  });
});

describe('a value that a connection refers to', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const secret = {
    metadata: { labels: { 'rolealerts.dev/credential': 'true' } },
    data: { token: base64('t0k3n\n'), other: base64('x') },
  };
  const readerOf = (answer: unknown) =>
    createCredentialReader({ ...scripted(answer, []).transport } satisfies KubeTransport);

  it('is a text, or the reason why there is none, for any response', async () => {
    const answers = fc.oneof(
      mutated(secret),
      mutated({ data: { token: '-----BEGIN CERTIFICATE-----' } }),
      fc.uint8Array().map((bytes) => ({ ...secret, data: { token: Buffer.from(bytes).toString('base64') } })),
      awkwardText.map((token) => ({ ...secret, data: { token } })),
    );
    await fc.assert(
      fc.asyncProperty(answers, fc.constantFrom('token', '__proto__', 'constructor'), async (answer, key) => {
        const reader = readerOf(answer);
        const secretValue = await reader.readSecretValue('team', 'credentials', key).catch(codeOf);
        const configValue = await reader.readConfigMapValue('team', 'ca', key).catch(codeOf);
        const seen = typeof secretValue === 'string' ? secretValue : secretValue.reveal().trim() && 'a text';
        expect(seen).toMatch(/^(credential-missing|credential-not-allowed|kube-unreachable|a text)$/);
        expect(typeof configValue).toBe('string');
      }),
      fuzz(400),
    );
  });

  it('of a megabyte of line feeds is read at once', async () => {
    const token = base64(`${'\n'.repeat(700_000)}x${'\n'.repeat(50)}`);
    const value = await readerOf({ ...secret, data: { token } }).readSecretValue('team', 'credentials', 'token');
    expect(value.reveal()).toHaveLength(700_001);
  });
});

function codeOf(error: unknown): string {
  if (error instanceof CodedError) return error.code;
  throw error;
}

it('a line that never ends is given up within its limit', () => {
  const splitter = createLineSplitter(4096);
  const chunk = Buffer.alloc(64, 'a');
  expect(() => {
    for (let count = 0; count < 100; count++) splitter.push(chunk);
  }).toThrow(RangeError);
});
