// The manager for tests: options that open no port, and a start without a log.
import { readBuildFacts } from '../../../src/lib/build-facts.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLogger } from '../../../src/lib/log.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import { type ManagerValues, type RunningManager, startManager } from '../../../src/operator/manager/manager.ts';

/** For services on loopback. `namespace`: of the Lease, and the only one that is watched. */
export function managerValues(kubeconfig: string, namespace: string): ManagerValues {
  return {
    kubeconfig,
    watchNamespaces: [namespace],
    clusterResourceNamespace: undefined,
    readOnly: false,
    connectionSelector: undefined,
    leaderElect: false,
    leaderElectionId: 'rolealerts',
    leaderElectionNamespace: namespace,
    record: undefined,
    recordFileSize: 16,
    recordFiles: 8,
    interval: 3_600_000,
    allowHttp: true,
    allowedHosts: [],
    allowPrivateEndpoints: true,
    apiAudiences: [],
    metricsBindAddress: undefined,
    healthProbeBindAddress: undefined,
    logLevel: 'info',
    logFormat: 'json',
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
