import { expect, test } from 'vitest';

import { renderTaken } from '../../../src/local/long-steps.ts';

test.each([
  [412.3, '412ms'],
  [3149, '3.1s'],
  [252_400, '4m12s'],
])('%d milliseconds are shown as %s', (durationMs, expected) => {
  expect(renderTaken(durationMs)).toBe(expected);
});
