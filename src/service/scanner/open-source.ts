// Opens the source of the scanner in `rolealerts serve`: the file or the cluster that its configuration names. Only
// here does the service use the transport to the API server, and only to list.
import type { Clock } from '../../lib/clock.ts';
import { UsageError } from '../../lib/command-errors.ts';
import type { Environment } from '../../lib/options/option.ts';
import { createApiServerConnection } from '../../operator/kube/api-server-connection.ts';
import { kubeconfigLoader } from '../../operator/kube/kubeconfig.ts';
import { createKubeTransport } from '../../operator/kube/transport.ts';
import type { AssignmentSource } from './assignments.ts';
import { createClusterSource } from './cluster-source.ts';
import { createFileSource } from './file-source.ts';
import type { ClusterSourceOptions, ScannerConfiguration } from './scanner-file.ts';

export interface OpenedSource {
  readonly source: AssignmentSource;
  /** Closes its sockets. */
  readonly close: () => Promise<void>;
}

interface Surroundings {
  readonly environment: Environment;
  readonly clock: Clock;
}

/** Opens no socket yet. Throws `usage` without a usable cluster configuration. */
export function openAssignmentSource(source: ScannerConfiguration['source'], surroundings: Surroundings): OpenedSource {
  if (source.from === 'cluster') return openCluster(source, surroundings);
  const { clock } = surroundings;
  return { source: createFileSource(source.path, source.owners, { clock }), close: async () => undefined };
}

function openCluster(settings: ClusterSourceOptions, { environment, clock }: Surroundings): OpenedSource {
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new UsageError('NODE_TLS_REJECT_UNAUTHORIZED=0 switches off TLS verification; unset it.');
  }
  const load = kubeconfigLoader({ path: settings.kubeconfig, environment });
  const connection = createApiServerConnection({ load, clock, userAgent: 'rolealerts-scanner' });
  const transport = createKubeTransport({ connection, clock });
  const source = createClusterSource(settings, (path, signal) => transport.request({ verb: 'list', path, signal }));
  return { source, close: () => connection.close() };
}
