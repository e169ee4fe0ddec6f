// Names that resolve to forbidden addresses, with the test's own resolver.
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

import { describe, expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { createAlertTransport } from '../../src/operator/alert-client/transport.ts';
import { failureOf } from '../support/rigs/alert-client-rig.ts';
import { answer, startScriptedServer } from '../support/servers/scripted-server.ts';

/** Answers every name with `addresses`, in both forms that Node asks for. */
function resolver(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
  };
}

const loopback = { address: '127.0.0.1', family: 4 };

async function exchangeWith(addresses: readonly LookupAddress[], allowPrivateEndpoints: boolean) {
  await using server = await startScriptedServer((_, response) => answer(response, 200, {}));
  const transport = createAlertTransport({
    clock: systemClock,
    requestTimeoutMs: 300_000,
    maxConcurrent: 1,
    allowPrivateEndpoints,
    lookup: resolver(addresses),
  });
  try {
    const request = transport.send({
      origin: `http://service.example:${server.port}`,
      target: '/',
      method: 'GET',
      headers: [],
      bodyLimitBytes: 1000,
      signal: new AbortController().signal,
    });
    return allowPrivateEndpoints ? (await request).status : (await failureOf(request)).error.code;
  } finally {
    await transport.stop();
    expect(server.requests).toHaveLength(allowPrivateEndpoints ? 1 : 0);
  }
}

describe('a name', () => {
  test.each([
    { name: 'a loopback address', addresses: [loopback] },
    { name: 'the metadata address', addresses: [{ address: '169.254.169.254', family: 4 }] },
    { name: 'two private ones', addresses: [loopback, { address: 'fd00::1', family: 6 }] },
    { name: 'an IPv4 address in IPv6', addresses: [{ address: '::ffff:127.0.0.1', family: 6 }] },
  ])('that resolves to $name is refused before anything is sent', async ({ addresses }) => {
    expect(await exchangeWith(addresses, false)).toBe('endpoint-invalid');
  });

  test('that resolves to a loopback address is reached when private endpoints are allowed', async () => {
    expect(await exchangeWith([loopback], true)).toBe(200);
  });
});
