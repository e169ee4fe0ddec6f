// The seed of the demo as the operator decodes it.
import { expect, test } from 'vitest';

import { decodeAlertPage } from '../../../../src/alerts/decode.ts';
import { demoSeed } from '../../../../src/local/demo/manifests.ts';
import { attributeDrift } from '../../../../src/operator/decide/drift.ts';

test('a user deactivated the inactive alerts, not a scan', () => {
  const { scopes } = demoSeed() as { scopes: Readonly<Record<string, object>> };
  const alerts = Object.values(scopes).flatMap((page) => decodeAlertPage(page).value?.alerts ?? []);
  const actors = alerts.filter(({ isActive }) => !isActive).map((alert) => attributeDrift(alert, false));
  expect(new Set(actors)).toEqual(new Set(['User']));
});
