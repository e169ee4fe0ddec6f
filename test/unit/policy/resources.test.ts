// The name that does not change, because rules of users contain it. Those of the resources are in every manifest.
import { expect, test } from 'vitest';

import { fieldManager } from '../../../src/policy/resources.ts';

test('the field manager of the operator keeps its name', () => {
  expect(fieldManager).toBe('rolealerts');
});
