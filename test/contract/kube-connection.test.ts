// TLS and authentication of the connection: certificates, token files, credential plugins, and their changes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';

import { systemClock } from '../../src/lib/clock.ts';
import { isCoded } from '../../src/lib/errors.ts';
import { type ApiServerConnection, createApiServerConnection } from '../../src/operator/kube/api-server-connection.ts';
import { isKubeError } from '../../src/operator/kube/kube-error.ts';
import { loadKubeconfig } from '../../src/operator/kube/kubeconfig.ts';
import { createKubeTransport } from '../../src/operator/kube/transport.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { failure, json, startWatchServer, type WatchServer } from '../support/servers/watch-server.ts';

const tlsFile = (name: string) => new URL(`../fixtures/tls/${name}`, import.meta.url).pathname;

let directory: string;
let server: WatchServer;
let clock: ManualClock;
let opened: ApiServerConnection[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rolealerts-'));
  server = await startWatchServer();
  server.answerOthers(json(200, {}));
  clock = new ManualClock();
  opened = [];
});

afterEach(async () => {
  await Promise.all(opened.map((connection) => connection.close()));
  await server.stop();
  rmSync(directory, { recursive: true });
});

const file = (name: string) => join(directory, name);

function writeKubeconfig(cluster: object, user: object): string {
  const document = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(file('config'), stringify(document));
  return file('config');
}

/** Sends one request; resolves with its error's code, or with `success`. */
function open(kubeconfigPath: string) {
  const load = () => loadKubeconfig({ path: kubeconfigPath, environment: {} });
  const connection = createApiServerConnection({ load, clock, userAgent: 'rolealerts/test' });
  opened.push(connection);
  const transport = createKubeTransport({ connection, clock: systemClock });
  return async () => {
    try {
      await transport.request({ verb: 'get', path: '/x' });
      return 'success';
    } catch (error) {
      return isCoded(error) ? `${error.code} ${error.reason ?? error.status ?? ''}`.trim() : String(error);
    }
  };
}

const authorizations = () => server.requests.map(({ headers }) => headers.authorization);

describe('a server with TLS', () => {
  let tls: Server;
  let url: string;

  beforeEach(async () => {
    tls = createTlsServer({ cert: readFileSync(tlsFile('server.crt')), key: readFileSync(tlsFile('server.key')) });
    tls.on('request', (_request, response) => response.end('{}'));
    await new Promise<void>((resolve) => {
      tls.listen(0, resolve);
    });
    url = `https://localhost:${(tls.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    tls.closeAllConnections();
    await new Promise<void>((resolve) => {
      tls.close(() => resolve());
    });
  });

  it('is not trusted otherwise, whatever the environment says', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      await expect(open(writeKubeconfig({ server: url }, {}))()).resolves.toBe('kube-unreachable');
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });

  it('is not trusted under another name, unless that name was expected', async () => {
    const address = url.replace('localhost', '[::1]');
    const authority = { server: address, 'certificate-authority': tlsFile('ca.crt') };
    await expect(open(writeKubeconfig({ ...authority, 'tls-server-name': 'other' }, {}))()).resolves.toBe(
      'kube-unreachable',
    );
    await expect(open(writeKubeconfig({ ...authority, 'tls-server-name': 'localhost' }, {}))()).resolves.toBe(
      'success',
    );
  });

  it('is trusted as soon as its authority is in the file, without a restart', async () => {
    writeFileSync(file('ca.crt'), readFileSync(tlsFile('server.crt')));
    const ask = open(writeKubeconfig({ server: url, 'certificate-authority': file('ca.crt') }, {}));
    const before = await ask();
    writeFileSync(file('ca.crt'), readFileSync(tlsFile('ca.crt')));
    await clock.advance(10_000);
    expect([before, await ask()]).toEqual(['kube-unreachable', 'success']);
  });
});

describe('a token', () => {
  it('is read from its file, relative to the kubeconfig and without the line feed, and again after it was refused', async () => {
    writeFileSync(file('token'), 'first\n');
    const ask = open(writeKubeconfig({ server: server.url }, { tokenFile: 'token' }));
    expect(await ask()).toBe('success');

    writeFileSync(file('token'), 'second\n');
    server.answerOthers(failure(401), json(200, {}));
    await clock.advance(10_000);
    expect([await ask(), await ask()]).toEqual(['kube-denied 401', 'success']);
    expect(authorizations()).toEqual(['Bearer first', 'Bearer first', 'Bearer second']);
  });

  it('whose file is missing is a refusal, and no more than that', async () => {
    const ask = open(writeKubeconfig({ server: server.url }, { tokenFile: 'token' }));
    expect(await ask()).toBe('kube-denied CredentialUnreadable');
    writeFileSync(file('token'), 'late');
    await clock.advance(1000);
    expect(await ask()).toBe('success');
  });
});

describe('a credential plugin', () => {
  const plugin = (script: string) => ({
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', script],
      interactiveMode: 'Never',
    },
  });
  const giving = (token: string) =>
    `require('fs').appendFileSync(${JSON.stringify(file('runs'))}, 'x');
     console.log(JSON.stringify({ kind: 'ExecCredential', status: { token: ${JSON.stringify(token)} } }))`;

  it('runs once for all waiting callers', async () => {
    const ask = open(writeKubeconfig({ server: server.url }, plugin(giving('from-plugin'))));
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => ask()));

    expect(new Set(outcomes)).toEqual(new Set(['success']));
    expect(readFileSync(file('runs'), 'utf8')).toBe('x');
    expect(new Set(authorizations())).toEqual(new Set(['Bearer from-plugin']));
  });

  it('that fails is a refusal, and is asked again later', async () => {
    const ask = open(writeKubeconfig({ server: server.url }, plugin('process.exit(3)')));
    expect(await ask()).toBe('kube-denied CredentialUnreadable');
    expect(server.requests).toEqual([]);
  });

  it('that never ends is given up', async () => {
    const connection = createApiServerConnection({
      load: () =>
        loadKubeconfig({
          path: writeKubeconfig({ server: server.url }, plugin('setTimeout(() => {}, 3000)')),
          environment: {},
        }),
      clock,
      userAgent: 'rolealerts/test',
    });
    opened.push(connection);
    const refused = connection.headers().catch((error: unknown) => isKubeError(error, 'kube-denied'));
    await clock.advance(15_000);
    expect(await refused).toBe(true);
  });
});

describe('another identity', () => {
  it('impersonates the user that the kubeconfig names', async () => {
    await open(writeKubeconfig({ server: server.url }, { token: 't', as: 'ann' }))();
    expect(server.requests[0]?.headers['impersonate-user']).toBe('ann');
  });
});
