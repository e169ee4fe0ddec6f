// One replica of the operator, put together as production does it (startManager): only its clock, its randomness and its
// sockets are simulated. It can be stopped in order, killed, frozen and thawed.
import type { RequestListener } from 'node:http';

import type { Dispatcher } from 'undici';

import { createLogger } from '../../src/lib/log.ts';
import { seededRandom } from '../../src/lib/random.ts';
import type { ApiServerConnection } from '../../src/operator/kube/api-server-connection.ts';
import { type ManagerValues, type RunningManager, startManager } from '../../src/operator/manager/manager.ts';
import type { PlanRecorder } from '../../src/operator/ports.ts';
import { defaultValues } from '../support/rigs/quiet-manager.ts';
import { readFrom } from './engine/in-memory-server.ts';
import type { SimNetwork } from './engine/network.ts';
import { SimProcess } from './engine/sim-process.ts';
import type { VirtualTime } from './engine/virtual-time.ts';

export const kubeOrigin = 'https://kubernetes.sim';

/** As many as requests to a real API server share (src/operator/kube/api-server-connection.ts). */
const sharedSockets = 4;

/** The message of the one bug that the simulation itself injects. */
export const logIsFull = 'the log of the simulation is full';

export interface ReplicaOptions {
  readonly name: string;
  readonly seed: number;
  readonly time: VirtualTime;
  readonly network: SimNetwork;
  readonly values?: Partial<ManagerValues>;
  /** The bearer token of the moment, as a token file has it. */
  readonly kubeToken: () => string;
  readonly recorder?: PlanRecorder | undefined;
  /** Every log line. */
  readonly onLine: (line: string) => void;
}

export const simValues: ManagerValues = {
  ...defaultValues,
  leaderElectionNamespace: 'rolealerts-system',
  allowedHosts: ['*.sim'],
  metricsBindAddress: { host: '127.0.0.1', port: 8080 },
  healthProbeBindAddress: undefined,
  logLevel: 'debug',
};

export class Replica {
  readonly process: SimProcess;
  readonly #options: ReplicaOptions;
  #manager: RunningManager | undefined;
  #metrics: RequestListener | undefined;
  #end: 'running' | 'stopping' | 'stopped' = 'running';
  /** The next line about a scope that went wrong cannot be written: a bug as any other, in the middle of a reconcile. */
  isLogFull = false;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.process = new SimProcess(options.name, options.time);
  }

  get name(): string {
    return this.#options.name;
  }

  get isElecting(): boolean {
    return { ...simValues, ...this.#options.values }.leaderElect;
  }

  /** The text of the metrics; empty before they are served. */
  async scrape(): Promise<string> {
    return this.#metrics ? readFrom(this.#metrics, '/metrics') : '';
  }

  /** True from the SIGTERM until it has ended. */
  get isStopping(): boolean {
    return this.isAlive && this.#end === 'stopping';
  }

  /** Neither killed nor stopped. */
  get isAlive(): boolean {
    return !this.process.isDead && this.#end !== 'stopped';
  }

  async start(): Promise<void> {
    const { seed, onLine, values, recorder } = this.#options;
    this.#manager = await startManager(
      { ...simValues, ...values },
      {
        build: { version: '0.0.0', commit: 'unknown', node: 'v0.0.0' },
        environment: {},
        reportingInstance: this.name,
        clock: this.process.clock,
        random: seededRandom(seed),
        log: createLogger({ level: 'debug', format: 'json', sink: { write: (line) => this.#log(line, onLine) } }),
        ...(recorder && { recorder }),
        network: {
          connectCluster: () => this.#connectCluster(),
          openService: (trust) => this.#open(undefined, Infinity, trust),
          startServer: async ({ host, port }, listener) => {
            this.#metrics = listener;
            return { url: `http://${host}:${port}`, stop: async () => undefined };
          },
        },
      },
    );
    void this.#manager.lost.then(() => this.stop());
  }

  /** SIGTERM: resolves when it has ended, in order or killed on the way. */
  async stop(): Promise<void> {
    if (this.#end !== 'running' || !this.#manager || this.process.isDead) return;
    this.#end = 'stopping';
    const killed = Promise.withResolvers<void>();
    const forget = this.process.onKill(killed.resolve);
    await Promise.race([this.#manager.stop(), killed.promise]);
    forget();
    if (!this.process.isDead) this.#end = 'stopped';
  }

  kill(): void {
    this.process.kill();
  }

  /** What is still open although it stopped in order, or the process itself when it never ended. */
  leftovers(): string[] {
    if (this.isStopping) return [`${this.name}, which did not stop`];
    if (this.#end !== 'stopped') return [];
    const exchanges = this.#options.network.openExchanges(this.process);
    const { openTimers } = this.process;
    return [
      ...(exchanges > 0 ? [`${exchanges} requests of ${this.name}`] : []),
      ...(openTimers > 0 ? [`${openTimers} timers of ${this.name}`] : []),
    ];
  }

  #log(line: string, onLine: (line: string) => void): void {
    if (this.process.isDead) return;
    onLine(line);
    if (!this.isLogFull || !/"level":"warn".*"scope":[^{]*"code":[^{]*"reason":/.test(line)) return;
    this.isLogFull = false;
    throw new Error(logIsFull);
  }

  #connectCluster(): ApiServerConnection {
    const requests = this.#open(kubeOrigin, sharedSockets);
    const watches = this.#open(kubeOrigin);
    return {
      origin: kubeOrigin,
      basePath: '',
      requests,
      watches,
      headers: async () => ({ authorization: `Bearer ${this.#options.kubeToken()}`, 'user-agent': 'rolealerts' }),
      forgetCredentials: () => undefined,
      async close() {
        await Promise.all([requests.destroy(), watches.destroy()]);
      },
    };
  }

  #open(origin?: string, connections = Infinity, trust?: string): Dispatcher {
    return this.#options.network.openDispatcher(this.process, origin, { connections, trust });
  }
}
