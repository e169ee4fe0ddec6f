// The Kubernetes side for tests against a real API server: a connection from a kubeconfig, and a reflector of policies.
import type { KubeConfig } from '@kubernetes/client-node';

import { systemClock } from '../../../src/lib/clock.ts';
import { silentLogger } from '../../../src/lib/log.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import {
  type ApiServerConnection,
  createApiServerConnection,
} from '../../../src/operator/kube/api-server-connection.ts';
import { policyResource } from '../../../src/operator/kube/custom-resources.ts';
import { loadKubeconfig } from '../../../src/operator/kube/kubeconfig.ts';
import type { ObjectEvent } from '../../../src/operator/kube/object-cache.ts';
import { createReflector, type Reflector } from '../../../src/operator/kube/reflector.ts';
import { createKubeTransport, type KubeTransport } from '../../../src/operator/kube/transport.ts';
import type { RoleAlertPolicy } from '../../../src/policy/resources.ts';
import type { ErrorCode } from '../builders/errors.ts';

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

export interface FollowedPolicies {
  readonly reflector: Reflector<RoleAlertPolicy>;
  readonly events: readonly ObjectEvent<RoleAlertPolicy>[];
  readonly failures: readonly ErrorCode[];
  /** `added a`, `changed a`, … */
  readonly eventLog: () => readonly string[];
}

export function followPolicies(transport: KubeTransport, namespace: string, pageSize = 500): FollowedPolicies {
  const events: ObjectEvent<RoleAlertPolicy>[] = [];
  const failures: ErrorCode[] = [];
  const reflector = createReflector<RoleAlertPolicy>({
    resource: policyResource,
    namespaces: [namespace],
    pageSize,
    transport,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    handlers: { onEvent: (event) => events.push(event), onSynced: () => undefined },
    observer: {
      onServed: () => undefined,
      onFailure: (_resource, code) => failures.push(code),
    },
  });
  reflector.start();
  const eventLog = () => events.map(({ type, object }) => `${type} ${object.metadata.name}`);
  return { reflector, events, failures, eventLog };
}

/** A manifest that the resource's rules accept. */
export function policyManifest(namespace: string, name: string, mode = 'Observe') {
  return {
    apiVersion: 'rolealerts.dev/v1alpha1',
    kind: 'RoleAlertPolicy',
    metadata: { namespace, name },
    spec: {
      connectionRef: { name: 'prod' },
      scope: 'subscriptions/1',
      mode,
      alerts: [{ name: 'TooManyOwnersAssignedToResource', state: 'Active' }],
    },
  };
}
