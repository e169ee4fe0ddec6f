// The manager for tests: options that open no port, and a start without a log.
import { readBuildFacts } from '../../../src/lib/build-facts.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLogger } from '../../../src/lib/log.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import { controllerOptions } from '../../../src/operator/manager/controller-options.ts';
import { type ManagerValues, type RunningManager, startManager } from '../../../src/operator/manager/manager.ts';

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

export function startQuietManager(values: ManagerValues): Promise<RunningManager> {
  return startManager(values, {
    build: { ...readBuildFacts(), node: process.version },
    environment: {},
    reportingInstance: 'rolealerts-test',
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
}
