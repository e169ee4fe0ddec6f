// The viewer's access to a cluster: their kubeconfig, and the namespace that the flags name.
import type { KubeConfig } from '@kubernetes/client-node';

import { userAgentOf } from '../lib/build-facts.ts';
import { cleanLines } from '../lib/clean-text.ts';
import { systemClock } from '../lib/clock.ts';
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { messageOf } from '../lib/errors.ts';
import type { Values } from '../lib/options/option.ts';
import { createApiServerConnection } from '../operator/kube/api-server-connection.ts';
import { isKubeError, type KubeError } from '../operator/kube/kube-error.ts';
import { kubeconfigLoader } from '../operator/kube/kubeconfig.ts';
import { createKubeTransport } from '../operator/kube/transport.ts';
import type { ClusterPlace } from './cluster/cluster-place.ts';
import type { Host } from './host.ts';
import type { viewerOptions } from './options/shared-options.ts';

export type ViewerValues = Values<typeof viewerOptions>;

/** Opens the connection for `use`, and closes it afterwards. Errors of the API server become sentences with the next step. */
export async function withViewer<T>(
  values: ViewerValues,
  host: Host,
  use: (viewer: ClusterPlace) => Promise<T>,
): Promise<T> {
  if (values.allNamespaces && values.namespace !== undefined) {
    throw new UsageError('Use either --namespace or --all-namespaces.');
  }
  const load = kubeconfigLoader({ path: values.kubeconfig, context: values.context, environment: host.env });
  const config = load();
  const connection = createApiServerConnection({ load, clock: systemClock, userAgent: userAgentOf('rolealerts-cli') });
  const transport = createKubeTransport({ connection, clock: systemClock });
  const namespace = values.allNamespaces ? undefined : (values.namespace ?? contextNamespace(config));
  try {
    return await use({
      transport,
      namespace,
      signal: host.stopping,
      note: (sentence) => host.err.write(`rolealerts: ${cleanLines(sentence)}\n`),
    });
  } catch (error) {
    throw explainKubeError(error, { origin: connection.origin, allNamespaces: values.allNamespaces });
  } finally {
    await connection.close();
  }
}

function contextNamespace(config: KubeConfig): string {
  return config.getContextObject(config.currentContext)?.namespace ?? 'default';
}

// What a person can do about an error of the API server.

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
