// The operator's connection to a real API server.
import type { KubeConfig } from '@kubernetes/client-node';

import { systemClock } from '../../../src/lib/clock.ts';
import {
  type ApiServerConnection,
  createApiServerConnection,
} from '../../../src/operator/kube/api-server-connection.ts';
import { loadKubeconfig } from '../../../src/operator/kube/kubeconfig.ts';
import { createKubeTransport, type KubeTransport } from '../../../src/operator/kube/transport.ts';

export interface KubeAccess {
  readonly connection: ApiServerConnection;
  readonly transport: KubeTransport;
}

/** As the operator does it at its start. `change` may adapt what was loaded. */
export function openKube(kubeconfigPath: string, change: (config: KubeConfig) => void = () => undefined): KubeAccess {
  const load = () => {
    const config = loadKubeconfig({ path: kubeconfigPath, environment: {} });
    change(config);
    return config;
  };
  const connection = createApiServerConnection({ load, clock: systemClock, userAgent: 'rolealerts/test' });
  return { connection, transport: createKubeTransport({ connection, clock: systemClock }) };
}
