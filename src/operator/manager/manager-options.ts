// What the manager is given: the values of its options, and the connections that it uses.
import type { Dispatcher } from 'undici';

import type { BuildFacts } from '../../lib/build-facts.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Values } from '../../lib/options/option.ts';
import type { Environment } from '../../lib/options/option.ts';
import type { Proxies } from '../../lib/proxy.ts';
import type { Random } from '../../lib/random.ts';
import type { ApiServerConnection } from '../kube/api-server-connection.ts';
import type { PlanRecorder } from '../ports.ts';
import type { controllerOptions } from './controller-options.ts';
import type { StartServer } from './probes.ts';

export type ManagerValues = Values<typeof controllerOptions>;

/** The labels of the metric `rolealerts_build_info`. */
export interface BuildLabels extends BuildFacts {
  /** The version of Node, such as `v20.19.0`. */
  readonly node: string;
}

export interface ManagerOptions {
  readonly build: BuildLabels;
  /** Used to find a kubeconfig when the values name none. */
  readonly environment: Environment;
  /** For services and token endpoints, not for the API server. Absent: none. */
  readonly proxies?: Proxies | undefined;
  /** Identifies this replica: the name of its Pod. */
  readonly reportingInstance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Log lines that no reader took, since the start. */
  readonly droppedLogLines?: () => number;
  /** Receives the plans in the place of the files of `--record`. */
  readonly recorder?: PlanRecorder;
  /** Replaces the sockets in a simulation. */
  readonly network?: Network;
}

/** The network of a simulation. The caller that opens a connection closes it. */
interface Network {
  connectCluster(): ApiServerConnection;
  /** `caBundle`: the authorities that the connection trusts; undefined for the well-known ones. */
  openService(caBundle: string | undefined): Dispatcher;
  /** For the probes and the metrics. */
  readonly startServer?: StartServer;
}
