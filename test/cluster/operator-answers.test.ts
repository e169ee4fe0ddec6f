// Invalid responses of the service and invalid input of users: how each appears in the policy and the connection,
// and that the operator changes nothing in doubt.
import type { ServerResponse } from 'node:http';

import { describe, expect, test } from 'vitest';

import { canaryToken, incident, serviceWords } from '../support/checks/canaries.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';
import type { ProxiedRequest, RequestKind } from '../support/servers/service-proxy.ts';

const scope = 'subscriptions/answers-1';
const alert = 'TooManyOwnersAssignedToResource';
const other = 'TooManyPermanentOwnersAssignedToResource';
const scopes = {
  [scope]: [
    { name: alert, properties: { isActive: false, alertIncidents: [incident('6f1c')] } },
    { name: other, properties: { isActive: false } },
  ],
};
const active = { scope, alerts: [alert, other].map((name) => ({ name, state: 'Active' })) };
const errorBody = (code: string) =>
  JSON.stringify({ error: { code, message: `${serviceWords} refused for ${canaryToken}` } });

type Reply = (request: ProxiedRequest, response: ServerResponse) => void;
const reply =
  (status: number, body: string, headers: Record<string, string> = {}): Reply =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
const listOf = (nextLink: (request: ProxiedRequest) => string): Reply => {
  return (request, response) => {
    const value = [{ name: alert, properties: { isActive: false } }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ value: request.kind === 'list' ? value : [], nextLink: nextLink(request) }));
  };
};

function answerWith(rig: OperatorRig, kinds: readonly RequestKind[], answer: Reply): void {
  rig.proxy.intercept = (request, response) => {
    if (!kinds.includes(request.kind)) return undefined;
    answer(request, response);
    return true;
  };
}

describeWithControlPlane('bad answers and bad input', (controlPlane) => {
  const badLists: readonly [string, Reply, readonly string[]][] = [
    [
      '403',
      reply(403, errorBody('NotYours')),
      ['Ready=False/ScopeForbidden', 'Stalled=True/ScopeForbidden', 'ConnectionReady=True/Connected'],
    ],
    ['404', reply(404, errorBody('NoSuchScope')), ['Ready=False/ScopeNotFound', 'Stalled=True/ScopeNotFound']],
    ['400', reply(400, errorBody('BadScope')), ['Ready=False/ScopeRejected', 'Stalled=True/ScopeRejected']],
    [
      'HTML instead of JSON',
      reply(200, '<html>sign in</html>', { 'content-type': 'text/html' }),
      ['Ready=False/ProtocolError', 'Reconciling=True/ProtocolError'],
    ],
    ['another shape', reply(200, '{"value": {}}'), ['Ready=False/ProtocolError']],
    ['a next page on another host', listOf(() => 'http://127.0.0.2:9/next'), ['Ready=False/UnsafeNextLink']],
    ['pages that go round in a circle', listOf(({ url }) => url), ['Ready=False/ProtocolError']],
    [
      'pages without end',
      listOf(({ url }) => `${url.replace(/&p=\d+/, '')}&p=${(endless += 1)}`),
      ['Ready=False/ListTooLarge'],
    ],
    [
      'a page beyond the cap',
      reply(200, JSON.stringify({ value: [], padding: 'x'.repeat(70_000) })),
      ['Ready=False/ListTooLarge'],
    ],
    ['500', reply(500, errorBody('Oops')), ['Ready=False/ServiceUnreachable', 'Reconciling=True/ServiceUnreachable']],
    ['a cut connection', (_, response) => response.destroy(), ['Ready=False/ServiceUnreachable']],
    ['nothing at all', () => undefined, ['Ready=False/ServiceUnreachable']],
    [
      '401',
      reply(401, errorBody('WhoAreYou')),
      ['Ready=False/ConnectionNotReady', 'ConnectionReady=False/Unauthorized'],
    ],
  ];
  let endless = 0;

  test.concurrent.for(badLists)('LIST answered with %s', async ([, answer, expected], { onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    answerWith(rig, ['list', 'page'], answer);
    await rig.createConnection({
      spec: { limits: { requestTimeout: '1s', maxPages: 5, maxPageBytes: 65_536 } },
    });
    await rig.createPolicy('owners', active);
    const { status } = await rig.policyShows('owners', expected);
    expect(rig.proxy.count('patch')).toBe(0);
    expect(status.observedGeneration).toBe(1);
    rig.proxy.intercept = () => undefined;
    await rig.reconcileNow('owners');
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(true);
  });

  const badPatches: readonly [string, Reply, string][] = [
    ['403', reply(403, errorBody('ReadOnly')), 'False/CorrectionFailed'],
    ['404', reply(404, errorBody('Gone')), 'False/CorrectionFailed'],
    ['500', reply(500, errorBody('Oops')), 'False/ServiceUnreachable'],
    ['nothing at all', () => undefined, 'False/ServiceUnreachable'],
    ['200 that changes nothing', reply(200, '{}'), 'Unknown/VerifyingWrite'],
    ['204 that does not stick', (_, response) => response.writeHead(204).end(), 'Unknown/VerifyingWrite'],
  ];

  test.concurrent.for(badPatches)(
    'PATCH of one alert answered with %s; the other is corrected',
    async ([, answer, ready], { onTestFinished }) => {
      const rig = await startRig(controlPlane, { onTestFinished, scopes });
      rig.proxy.intercept = ({ kind, name, ...rest }, response) => {
        if (kind !== 'patch' || name !== alert) return undefined;
        answer({ kind, name, ...rest }, response);
        return true;
      };
      await rig.createConnection({ spec: { limits: { requestTimeout: '1s' } } });
      await rig.createPolicy('owners', active);
      await rig.policyIs('owners', 'Ready', ready);
      await rig.flagBecomes(scope, other, true);
      expect(await rig.flag(scope, alert)).toBe(false);
      rig.proxy.intercept = () => undefined;
      // What was accepted is not sent again for two minutes; what failed is, after a reconcile request.
      if (ready === 'Unknown/VerifyingWrite') await rig.turn(scope, alert, true);
      else await rig.reconcileNow('owners');
      await rig.policyIs('owners', 'Ready', 'True/Succeeded');
      expect(await rig.flag(scope, alert)).toBe(true);
    },
  );

  test.concurrent('PATCH answered with 200 that did change it counts as proven by the list', async ({
    onTestFinished,
  }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    rig.proxy.intercept = async ({ kind, name }, response) => {
      if (kind !== 'patch' || name !== alert) return undefined;
      await rig.turn(scope, alert, true);
      response.writeHead(200).end('{}');
      return true;
    };
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
  });

  test.concurrent('429 makes the whole connection wait as long as it was asked to', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes: { ...scopes, 'subscriptions/answers-2': [] } });
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    answerWith(rig, ['list'], reply(429, errorBody('Slow'), { 'retry-after': '6' }));
    await rig.requestReconcile('owners');
    await rig.policyShows('owners', ['ConnectionReady=False/Throttled', 'Ready=True/Succeeded']);
    await rig.connectionIs('prod', 'False/Throttled');
    rig.proxy.intercept = () => undefined;
    const asked = rig.proxy.requests.length;
    const refusedAtMs = rig.proxy.requests[asked - 1]?.atMs ?? 0;
    await rig.createPolicy('empty', { scope: 'subscriptions/answers-2', unlisted: { state: 'Active' } });
    await rig.policyIs('empty', 'Ready', 'True/Succeeded');
    const next = rig.proxy.requests[asked];
    // From the last refusal on, less what two clocks may differ by.
    expect((next?.atMs ?? 0) - refusedAtMs).toBeGreaterThan(5500);
    await rig.connectionIs('prod', 'True/Connected');
  });

  describe.concurrent('credentials', () => {
    const notReady = async (rig: OperatorRig, connectionReason: string) => {
      await rig.createConnection({ spec: { auth: { tokenSecretRef: { name: 'mine', key: 'token' } } } });
      await rig.createPolicy('owners', active);
      await rig.policyShows('owners', ['Ready=False/ConnectionNotReady', `ConnectionReady=False/${connectionReason}`]);
      await rig.connectionIs('prod', `False/${connectionReason}`);
      expect(rig.proxy.count('patch')).toBe(0);
    };

    const broken: readonly [string, string, (rig: OperatorRig) => Promise<void>][] = [
      ['is missing', 'SecretNotFound', async () => undefined],
      ['lacks the key', 'SecretNotFound', (rig) => rig.createSecret('mine', { other: 'x' })],
      ['is empty', 'SecretInvalid', (rig) => rig.createSecret('mine', { token: '' })],
      ['cannot stand in a header', 'SecretInvalid', (rig) => rig.createSecret('mine', { token: 'two\nlines' })],
      ['lacks the label', 'SecretNotAllowed', (rig) => rig.createSecret('mine', { token: canaryToken }, {})],
      ['is refused', 'Unauthorized', (rig) => rig.createSecret('mine', { token: 'wrong' })],
    ];

    test.concurrent.for(broken)('a Secret that %s', async ([, reason, prepare], { onTestFinished }) => {
      const rig = await startRig(controlPlane, { onTestFinished, scopes });
      await prepare(rig);
      await notReady(rig, reason);
    });

    test.concurrent('a Secret that is mended is noticed by itself', async ({ onTestFinished }) => {
      const rig = await startRig(controlPlane, { onTestFinished, scopes });
      await rig.createSecret('mine', { token: 'wrong' });
      await notReady(rig, 'Unauthorized');
      await rig.replaceSecret('mine', { token: canaryToken });
      await rig.policyIs('owners', 'Ready', 'True/Succeeded');
      await rig.connectionIs('prod', 'True/Connected');
    });
  });

  test.concurrent('a connection that is missing, and comes later', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createPolicy('owners', active);
    await rig.policyIs('owners', 'Stalled', 'True/ConnectionNotFound');
    await rig.createConnection();
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    await rig.deleteConnection('prod');
    await rig.policyIs('owners', 'Stalled', 'True/ConnectionNotFound');
  });

  test.concurrent('an address without a listener, and one that is not allowed', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection({ spec: { endpoint: { baseURL: 'http://127.0.0.1:9' } } });
    await rig.createPolicy('owners', active);
    await rig.policyIs('owners', 'Ready', 'False/ServiceUnreachable');
    await rig.connectionIs('prod', 'False/Unreachable');
    await rig.stopOperator();
    await rig.startOperator({ allowPrivateEndpoints: false });
    await rig.connectionIs('prod', 'False/InvalidEndpoint');
    await rig.stopOperator();
    await rig.startOperator({ allowHttp: false });
    await rig.requestReconcile('owners');
    await rig.connectionIs('prod', 'False/InvalidEndpoint');
    await rig.stopOperator();
    await rig.startOperator({ allowedHosts: ['*.example'] });
    await rig.connectionIs('prod', 'False/HostNotAllowed');
    await rig.editConnection('prod', { endpoint: { baseURL: rig.proxy.url } });
    await rig.stopOperator();
    await rig.startOperator();
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
  });
});
