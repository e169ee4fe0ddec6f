// Asks the API server what a user may do.
import { objectOf } from '../../lib/json-shape.ts';
import type { KubeTransport } from '../../operator/kube/transport.ts';
import { stepDeadlineMs } from './check.ts';
import type { Permission } from './permissions.ts';

const root = '/apis/authorization.k8s.io/v1';

/** The permissions that a ServiceAccount lacks. Rejects with `kube-denied` when the caller may not ask for others. */
export async function lackedBy(
  transport: KubeTransport,
  account: { readonly namespace: string; readonly name: string },
  permissions: readonly Permission[],
  signal: AbortSignal,
): Promise<readonly Permission[]> {
  const { namespace, name } = account;
  const subject = {
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
  return lacked(permissions, (permission) => review(transport, 'SubjectAccessReview', permission, subject, signal));
}

/** The permissions that the caller lacks. */
export async function lackedByCaller(
  transport: KubeTransport,
  permissions: readonly Permission[],
  signal: AbortSignal,
): Promise<readonly Permission[]> {
  return lacked(permissions, (permission) => review(transport, 'SelfSubjectAccessReview', permission, {}, signal));
}

async function lacked(
  permissions: readonly Permission[],
  isAllowed: (permission: Permission) => Promise<boolean>,
): Promise<readonly Permission[]> {
  const allowed = await Promise.all(permissions.map(isAllowed));
  return permissions.filter((_, index) => allowed[index] !== true);
}

async function review(
  transport: KubeTransport,
  kind: 'SubjectAccessReview' | 'SelfSubjectAccessReview',
  permission: Permission,
  subject: object,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await transport.request<unknown>({
    verb: 'create',
    path: `${root}/${kind.toLowerCase()}s`,
    body: JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind,
      spec: { ...subject, resourceAttributes: permission },
    }),
    deadlineMs: stepDeadlineMs,
    signal,
  });
  return objectOf(objectOf(answer)['status'])['allowed'] === true;
}
