// Names that never change, because manifests, charts and rules of users contain them.
import { expect, test } from 'vitest';

import {
  apiGroup,
  apiVersion,
  connectionKind,
  connectionPlural,
  credentialLabel,
  credentialLabelValue,
  fieldManager,
  groupVersion,
  policyKind,
  policyPlural,
  requestedAtAnnotation,
} from '../../../src/policy/resources.ts';

test('the names of the resources, the label, the annotation and the field manager do not change', () => {
  expect([groupVersion, policyKind, policyPlural, connectionKind, connectionPlural]).toEqual([
    'rolealerts.dev/v1alpha1',
    'RoleAlertPolicy',
    'rolealertpolicies',
    'RoleAlertConnection',
    'rolealertconnections',
  ]);
  expect(`${apiGroup}/${apiVersion}`).toBe(groupVersion);
  expect([credentialLabel, credentialLabelValue]).toEqual(['rolealerts.dev/credential', 'true']);
  expect([requestedAtAnnotation, fieldManager]).toEqual(['rolealerts.dev/requestedAt', 'rolealerts']);
});
