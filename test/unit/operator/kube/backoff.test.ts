import { describe, expect, it } from 'vitest';

import { backoffMs } from '../../../../src/operator/kube/watcher.ts';

const least = { next: () => 0 };
const most = { next: () => 0.999999 };

describe('the back-off', () => {
  it.each([
    [1, 800],
    [2, 1600],
    [5, 12_800],
    [6, 15_000],
    [1000, 15_000],
  ])('doubles: after %i of them at least %i ms, at most twice that', (failures, expected) => {
    expect(backoffMs(failures, undefined, least)).toBe(expected);
    expect(Math.round(backoffMs(failures, undefined, most))).toBe(expected * 2);
  });

  it('is at least the Retry-After, up to two minutes', () => {
    expect(backoffMs(1, 20_000, least)).toBe(20_000);
    expect(backoffMs(1, 100, least)).toBe(800);
    expect(backoffMs(1, 86_400_000, least)).toBe(120_000);
  });
});
