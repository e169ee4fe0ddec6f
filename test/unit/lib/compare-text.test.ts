// The name that was probably meant.
import { describe, expect, it } from 'vitest';

import { nearestOf } from '../../../src/lib/compare-text.ts';

describe('the nearest name', () => {
  it.each([
    ['KUBECONFG', 'KUBECONFIG'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['LEADER_ELECTION', 'LEADER_ELECT'],
    ['READ_ONYL', 'READ_ONLY'],
    ['', undefined],
    ['XYZ', undefined],
  ])('of %s is %s', (name, nearest) => {
    expect(nearestOf(name, ['KUBECONFIG', 'LOG_LEVEL', 'LEADER_ELECT', 'READ_ONLY'])).toBe(nearest);
  });
});
