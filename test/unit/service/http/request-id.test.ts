import { expect, test } from 'vitest';

import { createRequestIDs } from '../../../../src/service/http/request-id.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('the ids of two listeners are UUIDs, each of them another one', () => {
  const listeners = [createRequestIDs(), createRequestIDs()];
  const ids = listeners.flatMap((next) => Array.from({ length: 5000 }, next));
  expect(ids.filter((id) => !uuid.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(10_000);
});
