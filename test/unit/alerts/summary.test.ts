// What a status shows of the incidents of one alert.
import { describe, expect, it } from 'vitest';

import { summarizeIncidents } from '../../../src/alerts/summary.ts';
import { alert, firing } from '../../support/builders/objects.ts';

const ofTypes = (...types: readonly string[]) => {
  const live = firing(types.map((_, index) => `i${index}`));
  return { ...live, incidents: live.incidents.map((incident, index) => ({ ...incident, type: types[index]! })) };
};

describe('the incidents of an alert in a status', () => {
  it('are counted by type, most frequent first, when they have several types', () => {
    expect(summarizeIncidents(ofTypes('B', 'A', 'C', 'C'), 0)).toEqual({
      total: 4,
      byType: [
        { type: 'C', count: 2 },
        { type: 'A', count: 1 },
        { type: 'B', count: 1 },
      ],
      truncated: true,
    });
  });

  it('are not counted by type when all have the same', () => {
    expect(summarizeIncidents(ofTypes('A', 'A'), 5)).toEqual({ total: 2, ids: ['i0', 'i1'] });
  });

  it('of the ninth type and further ones count as other, together with a type of that name', () => {
    const types = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'other', 'other', 'X', 'Y'];
    const { byType } = summarizeIncidents(ofTypes(...types), 5);
    expect(byType).toHaveLength(8);
    expect(byType?.[0]).toEqual({ type: 'other', count: 4 });
  });

  it('are only a total when there are none', () => {
    expect(summarizeIncidents(alert({ incidentCount: 0, incidents: [] }), 5)).toEqual({ total: 0 });
    expect(summarizeIncidents(undefined, 5)).toEqual({ total: 0 });
  });
});
