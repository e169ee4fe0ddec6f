// The viewer's access to a cluster: their kubeconfig, and the namespace that the flags name.
import type { ClusterPlace } from '../cluster/cluster-place.ts';
import type { Values } from '../config/option.ts';
import type { viewerOptions } from '../config/viewer-options.ts';
import { createApiServerConnection } from '../kube/api-server-connection.ts';
import { isKubeError, type KubeError } from '../kube/kube-error.ts';
import { loadKubeconfig } from '../kube/kubeconfig.ts';
import { createKubeTransport } from '../kube/transport.ts';
import { systemClock } from '../lib/clock.ts';
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { type ErrorFacts, messageOf } from '../lib/errors.ts';
import type { Host } from './host.ts';

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
  const load = () => loadKubeconfig({ path: values.kubeconfig, context: values.context, environment: host.env });
  const config = load();
  const connection = createApiServerConnection({ load, clock: systemClock, userAgent: 'rolealerts-cli' });
  const transport = createKubeTransport({ connection, clock: systemClock });
  const namespace = values.allNamespaces ? undefined : (values.namespace ?? contextNamespace(config));
  try {
    return await use({
      transport,
      namespace,
      signal: host.stopping,
      note: (sentence) => host.err.write(`rolealerts: ${sentence}\n`),
    });
  } catch (error) {
    throw explained(error, connection.origin);
  } finally {
    await connection.close();
  }
}

function contextNamespace(config: ReturnType<typeof loadKubeconfig>): string {
  return config.getContextObject(config.currentContext)?.namespace ?? 'default';
}

function explained(error: unknown, origin: string): unknown {
  if (isKubeError(error, 'kube-not-found')) {
    return new LocalError(
      `The API server at ${origin} does not have the resources of rolealerts: apply crds/, or choose another --context.`,
    );
  }
  if (isKubeError(error, 'kube-denied')) {
    const fix = error.status === 401 ? 'Renew the credential of the kubeconfig.' : missingRole;
    return new LocalError(
      `The API server at ${origin} refused the request: ${messageOf(error)} ${fix}`,
      detailOf(error),
    );
  }
  if (isKubeError(error, 'kube-unreachable')) {
    return new LocalError(
      `The API server at ${origin} did not answer: ${messageOf(error)} Check --kubeconfig and --context.`,
    );
  }
  return error;
}

const missingRole =
  'Ask for the ClusterRole rolealerts-view, for rolealerts-edit to change policies, or for rolealerts-platform-admin to read ClusterRoleAlertConnections.';

function detailOf({ detail }: KubeError): ErrorFacts {
  return detail === undefined ? {} : { detail };
}
