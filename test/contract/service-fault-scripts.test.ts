// Fault scripts as a whole: which requests their rules match, that they are deterministic, and that
// without one there is no fault.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, test } from 'vitest';

import { createFlatLogger } from '../../src/lib/flat-log.ts';
import type { AlertsServiceOptions } from '../../src/service/service-options.ts';
import { startFaulty, type Stops } from '../support/rigs/fault-rig.ts';
import { json, listOne } from '../support/servers/alerts-service-cases.ts';
import { errorOf, type Sent } from '../support/servers/alerts-service.ts';

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
