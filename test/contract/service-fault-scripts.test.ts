// Fault scripts as a whole: which requests their rules match, that they are deterministic, and that
// without one there is no fault.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, test } from 'vitest';

import { createFlatLogger } from '../../src/lib/flat-log.ts';
import { createAlertsService } from '../../src/service/create-service.ts';
import type { AlertsServiceOptions } from '../../src/service/service-options.ts';
import { startFaulty, type Stops } from '../support/rigs/fault-rig.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { alertA, json, listOne, seed } from '../support/servers/alerts-service-cases.ts';
import { errorOf, serviceOptions, staticToken, type Sent } from '../support/servers/alerts-service.ts';

const stops: Stops = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const startScript = (rules: readonly object[], options: Partial<AlertsServiceOptions> = {}) =>
  startFaulty(stops, {}, { ...options, faults: { rules } });
const list: Sent = { target: listOne };

describe('a rule', () => {
  test('for one caller leaves the others alone', async () => {
    const rules = [{ match: { principal: 'operator' }, fault: { status: 500 } }];
    const service = await startScript(rules);
    expect((await service.send(list)).status).toBe(200);
    const form = 'grant_type=client_credentials&client_id=operator&client_secret=s3cret%2Fwith%3Aodd+%2Bchars%25';
    const headers = { authorization: '', 'content-type': 'application/x-www-form-urlencoded' };
    const token = await service.send({ method: 'POST', target: '/common/oauth2/token', headers, body: form });
    const { access_token } = JSON.parse(token.text) as { access_token: string };
    const answer = await service.send({ ...list, headers: { authorization: `Bearer ${access_token}` } });
    expect(errorOf(answer)).toBe('500 InternalError');
    expect((await service.send({ ...list, headers: { authorization: 'Bearer guess' } })).status).toBe(401);
  });

  test('never concerns a path that is none', async () => {
    const service = await startScript([{ fault: { status: 500 } }]);
    expect((await service.send({ target: '/nowhere' })).status).toBe(404);
  });

  test('names its fault in the access log', async () => {
    const lines: string[] = [];
    const accessLog = createFlatLogger({
      level: 'info',
      format: 'json',
      sink: { write: (line) => void lines.push(line) },
    });
    const rules = [
      { limits: { times: 1 }, fault: { latency: { ms: 1 } } },
      { limits: { times: 1 }, fault: { pageLoop: true } },
    ];
    const service = await startScript(rules, { accessLog });
    for (let request = 0; request < 3; request += 1) await service.send(list);
    const faults = lines.map((line) => (JSON.parse(line) as { fault?: string }).fault);
    expect(faults).toEqual(['pageLoop', undefined, undefined]);
  });
});

describe('a script in a file', () => {
  const withFile = async (text: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'rolealerts-faults-'));
    stops.push(() => rm(folder, { recursive: true }));
    const faultsFile = join(folder, 'faults.yaml');
    await writeFile(faultsFile, text);
    return startFaulty(stops, {}, { faultsFile });
  };

  test('is on from the start', async () => {
    const service = await withFile('rules:\n  - limits: {times: 1}\n    fault: {status: 418}\n');
    expect((await service.send(list)).status).toBe(418);
    expect((await service.send(list)).status).toBe(200);
  });

  test('that is wrong keeps the service from starting', async () => {
    await expect(withFile('rules:\n  - fault: {status: 1}\n')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/is invalid: rules\[0\]\.fault\.status must be/) as string,
    });
    await expect(startFaulty(stops, {}, { faultsFile: '/nowhere/faults.yaml' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^Cannot read the fault script file \/nowhere\/faults\.yaml: /) as string,
    });
  });
});

test('without a script no wrapper precedes the routes', async () => {
  const service = await createAlertsService(serviceOptions({ seed }));
  stops.push(() => service.close());
  expect(service.faults).toBeUndefined();
});

describe('two services', () => {
  const rules = [
    { limits: { probability: 0.5 }, fault: { latency: { minMs: 0, maxMs: 1000 } } },
    { match: { routes: ['update-alert'] }, limits: { probability: 0.2 }, fault: { ignoreUpdate: true } },
    { match: { alert: 'A' }, limits: { probability: 0.3, after: 3 }, fault: { loseReply: true } },
    { limits: { probability: 0.1 }, fault: { status: 429, retryAfter: 7 } },
    { match: { principal: 'static-token' }, limits: { probability: 0.2 }, fault: { malformed: 'truncated' } },
    { match: { routes: ['list-alerts'] }, limits: { probability: 0.2, times: 5 }, fault: { cut: { afterBytes: 10 } } },
  ];

  /** Everything that 200 requests get, lists and updates by turns. */
  async function answers(seedNumber: number): Promise<readonly unknown[]> {
    const options = serviceOptions({ seed, clock: new ManualClock(), faults: { seed: seedNumber, rules } });
    const service = await createAlertsService(options);
    stops.push(() => service.close());
    const headers = { ...json, host: 'service.test', authorization: `Bearer ${staticToken}` };
    const gathered: unknown[] = [];
    for (let index = 0; index < 200; index += 1) {
      const isList = index % 3 === 0;
      const body = isList ? '' : `{"properties":{"isActive":${index % 2 === 0}}}`;
      const target = isList ? listOne : alertA.replace('/A?', `/${'ABC'[index % 5] ?? 'D'}?`);
      const method = isList ? 'GET' : 'PATCH';
      gathered.push(await service.answer({ method, target, headers, body: Buffer.from(body), scheme: 'http' }));
    }
    return gathered;
  }

  test('with the same script and seed answer 200 requests alike, and with another seed otherwise', async () => {
    const [first, second, other] = [await answers(42), await answers(42), await answers(43)];
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
    const faults = first.map((answered) => (answered as { fault?: string }).fault);
    expect(new Set(faults)).toEqual(
      new Set([undefined, 'latency', 'ignoreUpdate', 'loseReply', 'status', 'malformed', 'cut']),
    );
  });
});
