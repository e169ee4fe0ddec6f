// Every combination of what decides a policy's access, against a second, independent reading of the rules.
import { expect, it } from 'vitest';

import { type AccessCase, allCases, dimensions, resultOf } from '../../support/access/access-case.ts';
import { expectedOf } from '../../support/access/access-reading.ts';

/** The cases in which the code and the reading differ; at most a few, because each is a page long. */
function differences(kept: Partial<AccessCase>): object[] {
  const found: object[] = [];
  for (const each of allCases(kept)) {
    const [is, expected] = [resultOf(each), expectedOf(each)];
    if (JSON.stringify(is) !== JSON.stringify(expected)) found.push({ each, is, expected });
    if (found.length === 3) break;
  }
  return found;
}

const parts = dimensions.direction.flatMap((direction) => dimensions.scope.map((scope) => ({ direction, scope })));

it.each(parts)('a policy gets what one entry grants, and nothing else: $direction, scope $scope', (part) => {
  expect(differences(part)).toEqual([]);
});

it('every reason and every action occurs in the table', () => {
  const seen = new Set<string>();
  for (const each of allCases({ scope: 'Below' })) {
    const { reason, sends } = expectedOf(each);
    seen.add(reason).add(sends);
  }
  const { reason } = expectedOf({ ...[...allCases({ scope: 'Above' })][0]! });
  expect([...seen, reason].sort()).toEqual(
    [
      'AccessDenied',
      'AccessDenied',
      'Activation',
      'Deactivation',
      'DeactivationDenied',
      'Flapping',
      'GuardDenied',
      'ModeNotGranted',
      'Nothing',
      'Observed',
      'Progressing',
      'ScopeConflict',
      'WaitingForWindow',
    ].sort(),
  );
});
