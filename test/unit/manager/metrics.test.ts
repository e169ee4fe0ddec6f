import { expect, test } from 'vitest';

import { createMetrics } from '../../../src/manager/metrics.ts';
import type { ActionCause } from '../../../src/plan/memory.ts';

const causes: Readonly<Record<ActionCause, true>> = {
  Declared: true,
  Unlisted: true,
  DismissalHolds: true,
  DismissalExpired: true,
  NewIncidents: true,
  DeclarationGone: true,
};

test('the corrections of a connection that is gone are no series any more, whatever their cause', async () => {
  const { registry, observer } = createMetrics(() => ({ depth: 0, active: 0 }), false);
  const seriesOf = async () => {
    const metric = registry.getSingleMetric('rolealerts_corrections_total');
    return (await metric?.get())?.values.map(({ labels }) => `${labels['connection']} ${labels['cause']}`);
  };
  for (const connection of ['team/gone', 'team/kept']) {
    for (const cause of Object.keys(causes) as ActionCause[]) observer.correctionSeen(connection, cause);
  }
  observer.connectionForgotten('team/gone');
  expect(await seriesOf()).toEqual(Object.keys(causes).map((cause) => `team/kept ${cause}`));
});
