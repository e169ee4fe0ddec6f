// What a command says when the API server fails.
import { expect, test } from 'vitest';

import { explainKubeError } from '../../../src/commands/viewer.ts';
import type { LocalError } from '../../../src/lib/command-errors.ts';
import { errorOfStatus, KubeError, unreachable } from '../../../src/operator/kube/kube-error.ts';

const origin = 'https://cluster.example';
const explain = (error: Error, allNamespaces = false) =>
  explainKubeError(error, { origin, allNamespaces }) as LocalError;

test.each([
  [
    unreachable('connect ECONNREFUSED'),
    'The API server at https://cluster.example did not answer as expected: check --kubeconfig and --context.',
    'connect ECONNREFUSED',
  ],
  [
    errorOfStatus({ code: 503, message: 'etcd is away' }),
    'The API server at https://cluster.example answered with status 503: try again later, or check --kubeconfig and --context.',
    'etcd is away',
  ],
  [
    errorOfStatus({ code: 401, message: 'Unauthorized' }),
    'The API server at https://cluster.example refused the request, because it does not accept the credential: renew that of the kubeconfig.',
    'Unauthorized',
  ],
  [
    new KubeError('kube-denied', 'The credential is missing.', { detail: 'spawn plugin ENOENT' }),
    'There is no credential for the API server at https://cluster.example: correct the user of the kubeconfig, or choose another --context.',
    'spawn plugin ENOENT',
  ],
  [
    errorOfStatus({ code: 404 }),
    'The API server at https://cluster.example does not have the resources of rolealerts: apply crds/, or choose another --context.',
    undefined,
  ],
])('%s', (error, message, detail) => {
  expect(explain(error)).toMatchObject({ code: 'local', message, detail });
});

test('a refusal names the roles, and with --all-namespaces the way that needs fewer permissions', () => {
  const refused = errorOfStatus({ code: 403, message: 'cannot list' });
  expect(explain(refused).message).toMatch(
    /refused the request\. Ask for the ClusterRole rolealerts-view, .*Connections\.$/,
  );
  expect(explain(refused, true).message).toMatch(/Or name a namespace that you may read with --namespace\.$/);
});

test('every other error stays as it is', () => {
  const error = new Error('a bug');
  expect(explain(error)).toBe(error);
});
