// The options of a manager for tests, which open no port.
import { controllerOptions } from '../../../src/operator/manager/controller-options.ts';
import type { ManagerValues } from '../../../src/operator/manager/manager.ts';

const defaults = Object.entries(controllerOptions).map(([name, { fallback }]) => [name, fallback]);

/** Those of an operator without options. */
export const defaultValues = Object.fromEntries(defaults) as ManagerValues;

/** For services on loopback. `namespace`: of the Lease, and the only one that is watched. */
export function managerValues(kubeconfig: string, namespace: string): ManagerValues {
  return {
    ...defaultValues,
    kubeconfig,
    watchNamespaces: [namespace],
    leaderElect: false,
    leaderElectionNamespace: namespace,
    interval: 3_600_000,
    allowHttp: true,
    allowPrivateEndpoints: true,
    metricsBindAddress: undefined,
    healthProbeBindAddress: undefined,
  };
}
