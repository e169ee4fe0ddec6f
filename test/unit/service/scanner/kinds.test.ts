// The definitions of the four kinds (section 2.4).
import { expect, test } from 'vitest';

import { alertKinds, definitionOfKind, thresholdsOfKind } from '../../../../src/service/scanner/kinds.ts';

test('the kinds with thresholds are configurable, the others are not', () => {
  const configurable = alertKinds.filter((kind) => definitionOfKind[kind]['isConfigurable']);
  expect(configurable).toEqual(alertKinds.filter((kind) => thresholdsOfKind[kind].length > 0));
});

test('no kind promises that the service removes its cause', () => {
  expect(alertKinds.filter((kind) => definitionOfKind[kind]['isRemediatable'])).toEqual([]);
});
