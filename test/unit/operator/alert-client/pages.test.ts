import { Buffer } from 'node:buffer';

import { describe, expect, test } from 'vitest';

import { parseEndpoint } from '../../../../src/operator/alert-client/endpoint.ts';
import { mostAlerts, readPages } from '../../../../src/operator/alert-client/pages.ts';

const baseURL = 'https://service.example';
const listPath = '/subscriptions/a/providers/Vendor.Authorization/roleManagementAlerts';
const endpoint = parseEndpoint(
  { baseURL, providerNamespace: 'Vendor.Authorization', apiVersion: '1' },
  { allowHttp: false, allowedHosts: [] },
);

/** A list with so many alerts on each of its pages. */
function read(...counts: readonly number[]) {
  return readPages({
    endpoint,
    listPath,
    firstTarget: `${listPath}?page=0`,
    maxPages: 100,
    async readPage(target) {
      const page = Number(target.split('page=')[1]?.split('&')[0]);
      const value = Array.from({ length: counts[page] ?? 0 }, (_, at) => ({ name: `${page}-${at}`, properties: {} }));
      const nextLink = page + 1 < counts.length ? `${baseURL}${listPath}?page=${page + 1}` : undefined;
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ value, nextLink })) };
    },
  });
}

describe('a list', () => {
  test('with the maximum number of alerts is read', async () => {
    expect((await read(mostAlerts)).alerts).toHaveLength(mostAlerts);
    expect((await read(mostAlerts - 1, 1)).alerts).toHaveLength(mostAlerts);
  });

  test.each([[[mostAlerts + 1]], [[mostAlerts, 1]], [[mostAlerts - 1, 0, 2]]])(
    'with more is refused, on whichever pages: %j',
    async (counts) => {
      await expect(read(...counts)).rejects.toMatchObject({ code: 'service-protocol', reason: 'ListTooLarge' });
    },
  );
});
