// The transport over a socket: the result of each response, the deadline of every call, and the number of sockets.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { type CodedError, isCoded } from '../../src/lib/errors.ts';
import { ControllerError } from '../../src/operator/controller-error.ts';
import type { ApiServerConnection } from '../../src/operator/kube/api-server-connection.ts';
import { createCustomResources } from '../../src/operator/kube/custom-resources.ts';
import { createKubeTransport, type KubeTransport } from '../../src/operator/kube/transport.ts';
import type { ErrorCode } from '../support/builders/errors.ts';
import { connection as connectionObject, policy } from '../support/builders/objects.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { until } from '../support/rigs/until.ts';
import {
  connectTo,
  failure,
  json,
  resetConnection,
  silence,
  startWatchServer,
} from '../support/servers/watch-server.ts';
import type { Respond, WatchServer } from '../support/servers/watch-server.ts';

let server: WatchServer;
let connection: ApiServerConnection;
let transport: KubeTransport;
let observed: string[];

beforeEach(async () => {
  server = await startWatchServer();
  connection = connectTo(server.url);
  observed = [];
  const observer = { onRequest: ({ verb, code }: { verb: string; code: string }) => observed.push(`${verb} ${code}`) };
  transport = createKubeTransport({ connection, clock: systemClock, observer });
});

afterEach(async () => {
  await connection.close();
  await server.stop();
});

async function failureOf(call: Promise<unknown>): Promise<CodedError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isCoded(error)) throw new Error(`no CodedError, but ${String(error)}`);
  return error;
}

describe('a request', () => {
  it('sends JSON with the credential and gives the parsed answer', async () => {
    server.answerOthers(json(201, { answer: 42 }));
    await expect(transport.request({ verb: 'create', path: '/api/v1/x?y=z', body: '{"a":1}' })).resolves.toEqual({
      answer: 42,
    });

    const [seen] = server.requests;
    expect([seen?.method, seen?.path, seen?.query.get('y'), seen?.body]).toEqual(['POST', '/api/v1/x', 'z', '{"a":1}']);
    expect(seen?.headers).toMatchObject({
      authorization: 'Bearer canary-token',
      'user-agent': 'rolealerts/test',
      accept: 'application/json',
      'content-type': 'application/json',
    });
    expect(observed).toEqual(['create 201']);
  });

  it('that may write is not sent when its process may not, however long it waited for a socket', async () => {
    server.answerOthers(json(200, {}));
    const beforeWrite = () => {
      throw new ControllerError('not-leading', 'not now');
    };
    const fenced = createKubeTransport({ connection, clock: systemClock, beforeWrite });
    const verbs = ['create', 'update', 'patch', 'delete'] as const;
    const failures = await Promise.all(verbs.map((verb) => failureOf(fenced.request({ verb, path: '/x' }))));
    expect(failures.map(({ code }) => code)).toEqual(verbs.map(() => 'not-leading'));
    await fenced.request({ verb: 'get', path: '/x' });
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  const refusals: [string, Respond, Partial<Record<keyof CodedError, unknown>> & { code: ErrorCode }][] = [
    ['400', failure(400, { reason: 'BadRequest' }), { code: 'kube-invalid', reason: 'BadRequest', status: 400 }],
    ['401', failure(401), { code: 'kube-denied', status: 401 }],
    [
      '403',
      failure(403, { reason: 'Forbidden', message: 'no\u001b[31m way' }),
      { code: 'kube-denied', detail: 'no way' },
    ],
    ['409', failure(409, { reason: 'Conflict' }), { code: 'kube-conflict', reason: 'Conflict' }],
    ['404', failure(404), { code: 'kube-not-found' }],
    ['410', failure(410), { code: 'kube-gone' }],
    ['413', failure(413), { code: 'kube-invalid' }],
    ['422', failure(422), { code: 'kube-invalid' }],
    ['429', failure(429, { retryAfter: '7' }), { code: 'kube-unreachable', retryAfterMs: 7000, status: 429 }],
    ['500', failure(500), { code: 'kube-unreachable', retryAfterMs: undefined }],
    [
      'a redirect',
      (response) => response.writeHead(302, { location: '/' }).end(),
      { code: 'kube-unreachable', status: 302 },
    ],
    [
      'a proxy’s page',
      (response) => response.writeHead(502).end('<html>bad'),
      { code: 'kube-unreachable', detail: '<html>bad' },
    ],
    ['a reset', resetConnection, { code: 'kube-unreachable', status: undefined }],
    ['not JSON', (response) => response.end('hello'), { code: 'kube-unreachable', reason: 'BadAnswer' }],
  ];
  it.each(refusals)('turns %s into its error', async (_name, answer, expected) => {
    server.answerOthers(answer);
    const error = await failureOf(transport.request({ verb: 'get', path: '/x' }));
    expect(error).toMatchObject(expected);
    expect(JSON.stringify([error.message, error.detail, error.stack])).not.toContain('canary');
  });

  it('ends at its deadline, whether the head or the rest of the body never comes', async () => {
    const clock = new ManualClock();
    const patient = createKubeTransport({ connection, clock });
    const half: Respond = (response) => response.writeHead(200, { 'content-length': '100' }).write('{');
    for (const answer of [silence, half]) {
      server.answerOthers(answer);
      const before = server.requests.length;
      const failed = failureOf(patient.request({ verb: 'get', path: '/x', deadlineMs: 5000 }));
      await until(() => server.requests.length > before, 'the request');
      await clock.advance(5000);
      expect(await failed).toMatchObject({ code: 'kube-unreachable', reason: 'Deadline' });
    }
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends when the operator stops, before or after it was sent', async () => {
    server.answerOthers(silence);
    const stopping = new AbortController();
    const failed = failureOf(transport.request({ verb: 'get', path: '/x', signal: stopping.signal }));
    await until(() => server.requests.length === 1, 'the request');
    stopping.abort();

    expect((await failed).code).toBe('stopped');
    const late = failureOf(transport.request({ verb: 'get', path: '/late', signal: stopping.signal }));
    expect((await late).code).toBe('stopped');
  });

  it('is at its deadline also while it waits for a connection', async () => {
    const clock = new ManualClock();
    const patient = createKubeTransport({ connection, clock });
    server.answerOthers(silence);
    const calls = Array.from({ length: 10 }, () =>
      failureOf(patient.request({ verb: 'get', path: '/x', deadlineMs: 5000 })),
    );
    await until(() => server.requests.length === 4, 'all connections are busy');
    await clock.advance(5000);

    expect((await Promise.all(calls)).map(({ reason }) => reason)).toEqual(Array(10).fill('Deadline'));
    server.answerOthers(json(200, {}));
    await expect(patient.request({ verb: 'get', path: '/x' })).resolves.toEqual({});
  });

  it('shares four connections with a thousand others, and a watch takes one of its own', async () => {
    server.answerOthers(json(200, {}));
    const watch = await transport.watch({ verb: 'watch', path: '/things?watch=true' });
    await Promise.all(
      Array.from({ length: 1000 }, () => transport.request({ verb: 'update', path: '/x', body: '{}' })),
    );

    expect(server.requests).toHaveLength(1001);
    expect(server.sockets).toBeLessThanOrEqual(5);
    watch.close();
  });
});

describe('a watch', () => {
  it('is refused with the error of its status', async () => {
    server.refuseWatches(failure(410, { reason: 'Expired' }));
    const error = await failureOf(transport.watch({ verb: 'watch', path: '/things?watch=true' }));
    expect(error).toMatchObject({ code: 'kube-gone', reason: 'Expired', status: 410 });
    expect(observed).toEqual(['watch 410']);
  });

  it('makes a server wait that is faster than the reader, and loses nothing', async () => {
    const stream = await transport.watch({ verb: 'watch', path: '/things?watch=true' });
    const watch = await server.nextWatch();
    const lines = 50_000;
    const sent = watch.sendBytes(Array.from({ length: lines }, (_, index) => `${index} ${'x'.repeat(500)}\n`).join(''));
    let expected = 0;
    while (expected < lines) {
      for (const line of (await stream.read()) ?? []) expect(Number(String(line).split(' ')[0])).toBe(expected++);
    }
    await sent;
    stream.close();
    expect((await failureOf(stream.read())).code).toBe('stopped');
  });
});

describe('the write of a status', () => {
  const before = policy();
  const status = { observedGeneration: 1 };
  const partial = (metadata: unknown) =>
    json(200, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });

  it('of a policy asks for the metadata alone, and adds the spec and the status that it knows', async () => {
    const metadata = { ...before.metadata, resourceVersion: '77', labels: { theirs: 'yes' } };
    server.answerOthers(partial(metadata));
    const after = await createCustomResources(transport).replacePolicyStatus(before, status);
    expect(after).toEqual({ ...before, metadata, status });
    expect(server.requests[0]?.headers.accept).toBe(
      'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json',
    );
  });

  it.each([[undefined], [{}], [{ ...before.metadata, resourceVersion: 7 }], ['metadata']])(
    'of a policy does not count as answered by the metadata %j',
    async (metadata) => {
      server.answerOthers(partial(metadata));
      await expect(createCustomResources(transport).replacePolicyStatus(before, status)).rejects.toMatchObject({
        code: 'kube-unreachable',
        reason: 'BadAnswer',
      });
    },
  );

  it('of a connection resolves with the stored object, so that a ledger entry counts only when the server has it', async () => {
    const stored = { ...connectionObject(), status: { observedGeneration: 1, dismissals: [] } };
    server.answerOthers(json(200, stored));
    const written = createCustomResources(transport).replaceConnectionStatus(connectionObject(), status);
    await expect(written).resolves.toEqual(stored);
    expect(server.requests[0]?.headers.accept).toBe('application/json');
  });
});
