// The viewer's access to a cluster: their kubeconfig, and the namespace that the flags name.
import type { KubeConfig } from '@kubernetes/client-node';

import { userAgentOf } from '../lib/build-facts.ts';
import { cleanLines } from '../lib/clean-text.ts';
import { systemClock } from '../lib/clock.ts';
import { UsageError } from '../lib/command-errors.ts';
import type { Values } from '../lib/options/option.ts';
import { createApiServerConnection } from '../operator/kube/api-server-connection.ts';
import { kubeconfigLoader } from '../operator/kube/kubeconfig.ts';
import { createKubeTransport } from '../operator/kube/transport.ts';
import type { ClusterPlace } from './cluster/cluster-place.ts';
import { explainKubeError } from './explain-kube-error.ts';
import type { Host } from './host.ts';
import type { viewerOptions } from './options/viewer-options.ts';

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
