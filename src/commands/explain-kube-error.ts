// What a person can do about an error of the API server.
import { LocalError } from '../lib/command-errors.ts';
import { messageOf } from '../lib/errors.ts';
import { isKubeError, type KubeError } from '../operator/kube/kube-error.ts';

export interface FailedRequest {
  /** The URL of the API server. */
  readonly origin: string;
  readonly allNamespaces: boolean;
}

/** A `LocalError` with the next step, and with what the server or the network said as its detail. Other errors stay as they are. */
export function explainKubeError(error: unknown, request: FailedRequest): unknown {
  if (!isKubeError(error, 'kube-not-found', 'kube-denied', 'kube-unreachable')) return error;
  const detail = error.detail ?? (error.cause === undefined ? undefined : messageOf(error.cause));
  return new LocalError(sentenceOf(error, request), detail === undefined ? {} : { detail });
}

function sentenceOf({ code, status }: KubeError, { origin, allNamespaces }: FailedRequest): string {
  const server = `The API server at ${origin}`;
  if (code === 'kube-not-found') {
    return `${server} does not have the resources of rolealerts: apply crds/, or choose another --context.`;
  }
  if (status === 401) {
    return `${server} refused the request, because it does not accept the credential: renew that of the kubeconfig.`;
  }
  if (code === 'kube-denied' && status === undefined) {
    return `There is no credential for the API server at ${origin}: correct the user of the kubeconfig, or choose another --context.`;
  }
  if (code === 'kube-denied') {
    const other = allNamespaces ? ' Or name a namespace that you may read with --namespace.' : '';
    return `${server} refused the request. ${missingRole}${other}`;
  }
  if (status !== undefined) {
    return `${server} answered with status ${status}: try again later, or check --kubeconfig and --context.`;
  }
  return `${server} did not answer as expected: check --kubeconfig and --context.`;
}

const missingRole =
  'Ask for the ClusterRole rolealerts-view, for rolealerts-edit to change policies, or for rolealerts-platform-admin to read ClusterRoleAlertConnections.';
