// A credential and a CA bundle whose object is gone: they serve on while the connection is being deleted, and at no other time.
import { describe, expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { ClientFactoryRig } from '../../../support/rigs/alert-client-factory-rig.ts';

const minuteMs = 60_000;
const missing = new AlertsError('credential-missing', 'Secret team/credentials does not exist.', {
  reason: 'SecretNotFound',
});
const unlabelled = new AlertsError('credential-not-allowed', 'no label', { reason: 'SecretNotAllowed' });
const forbidden = new AlertsError('credential-not-allowed', 'no', {
  cause: new KubeError('kube-denied', 'no RoleBinding'),
});

async function used(): Promise<ClientFactoryRig> {
  const rig = new ClientFactoryRig({ hasCaBundle: true });
  expect(await rig.after(0, () => rig.list())).toBe('listed');
  return rig;
}

describe('a credential', () => {
  test.each([
    ['whose Secret is gone', missing],
    ['that may not be read any more', forbidden],
  ])('%s serves on while the connection is being deleted', async (_, error) => {
    const rig = await used();
    rig.secret = error;
    rig.isBeingDeleted = true;
    for (let minute = 0; minute < 60; minute++) expect(await rig.after(2 * minuteMs, () => rig.list())).toBe('listed');
  });

  test('whose Secret lost its label ends its use in any case', async () => {
    const rig = await used();
    rig.secret = unlabelled;
    rig.isBeingDeleted = true;
    expect(await rig.after(2 * minuteMs, () => rig.list())).toBe('credential-not-allowed');
  });

  test('that was never read is no credential', async () => {
    const rig = new ClientFactoryRig();
    rig.secret = missing;
    rig.isBeingDeleted = true;
    expect(await rig.after(0, () => rig.list())).toBe('credential-missing');
  });
});

test('a CA bundle whose ConfigMap is gone serves on while the connection is being deleted, and only then', async () => {
  const rig = await used();
  rig.caBundle = new AlertsError('credential-missing', 'gone', { reason: 'ConfigMapNotFound' });
  rig.isBeingDeleted = true;
  expect(await rig.after(2 * minuteMs, () => rig.list())).toBe('listed');
  rig.isBeingDeleted = false;
  expect(await rig.after(2 * minuteMs, () => rig.list())).toBe('endpoint-invalid');
});
