// One simulated world: time, network, API server, alerts service and the replicas of the operator. What happens in it is the
// scenario's to say, and whether it was right the oracles'.
import { createHash } from 'node:crypto';

import type { ControllerValues } from '../../src/cli/wiring/assemble.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { type Random, seededRandom } from '../../src/lib/random.ts';
import { SimAlertsService } from './alerts/sim-service.ts';
import { SimNetwork } from './engine/network.ts';
import type { SimProcess } from './engine/sim-process.ts';
import type { Fate, SimExchange, SimRequest } from './engine/types.ts';
import { VirtualTime } from './engine/virtual-time.ts';
import { SimApiServer } from './kube/api-server.ts';
import { createNamespace } from './kube/namespaces.ts';
import type { SimResource } from './kube/resources.ts';
import { kubeOrigin, Replica } from './replica.ts';
import { countBranches, countIn, countMutations } from './tally.ts';
import { rememberTurnedOff, type TurnedOff } from './turned-off.ts';

export const serviceOrigin = 'https://alerts.sim';

export interface WorldOptions {
  readonly seed: number;
  readonly resources: readonly SimResource[];
  readonly fateOf?: (request: Omit<SimRequest, 'atMs'>) => Fate;
  readonly values?: Partial<ControllerValues>;
  readonly pageSize?: number;
  readonly serviceLagMs?: () => number;
  readonly isForgotten?: () => boolean;
  readonly watchLagMs?: () => number;
  readonly mangle?: (line: string) => readonly (string | Buffer)[];
  /** False saves the time that a hash of everything takes. */
  readonly isTraced?: boolean;
}

export class World {
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly network: SimNetwork;
  readonly api: SimApiServer;
  readonly service: SimAlertsService;
  readonly replicas: Replica[] = [];
  /** The last things that happened, for people. */
  readonly tail: string[] = [];
  readonly lines: string[] = [];
  /** What came up in logs and statuses, and how often. */
  readonly branches = new Map<string, number>();
  readonly turnedOff: ReadonlyMap<string, TurnedOff>;
  /** Requests that ended. */
  requests = 0;
  /** PATCHes to the service, and writes to Kubernetes other than those of a Lease. */
  mutations = 0;
  lastMutation = '';
  kubeToken = 'sim-token';
  /** True once the wall clock of a process was set wrong. */
  hasWrongClocks = false;
  readonly onDispatch = new Set<(process: SimProcess, method: string) => void>();
  readonly onExchange: ((exchange: SimExchange) => void)[] = [];
  readonly #options: WorldOptions;
  readonly #hash = createHash('sha256');
  #started = 0;
  #lastValues: Partial<ControllerValues> = {};

  constructor(options: WorldOptions) {
    this.#options = options;
    const { seed, resources, fateOf = () => ({ kind: 'deliver' }) } = options;
    const { time } = this;
    this.random = seededRandom(seed);
    this.network = new SimNetwork({
      time,
      random: seededRandom(seed + 1),
      fateOf,
      onDispatch: (process, method) => {
        for (const tell of this.onDispatch) tell(process, method);
      },
      onExchange: (exchange) => this.#note(exchange),
    });
    this.api = new SimApiServer({
      time,
      random: seededRandom(seed + 2),
      resources,
      ...(options.watchLagMs && { lagMs: options.watchLagMs }),
      ...(options.mangle && { mangle: options.mangle }),
    });
    this.service = new SimAlertsService({
      time,
      origin: serviceOrigin,
      pageSize: options.pageSize ?? 50,
      lagMs: options.serviceLagMs ?? (() => 0),
      isForgotten: options.isForgotten ?? (() => false),
    });
    this.network.addHost(kubeOrigin, this.api);
    this.network.addHost(serviceOrigin, this.service);
    createNamespace(this.api, 'rolealerts-system');
    this.turnedOff = rememberTurnedOff(this);
    countMutations(this);
    countBranches(this);
  }

  /** A new process: a restarted one is another one. */
  async startReplica(values: Partial<ControllerValues> = this.#lastValues): Promise<Replica> {
    this.#lastValues = values;
    const number = this.#started++;
    const replica = new Replica({
      name: `replica-${number}`,
      seed: this.#options.seed * 31 + number,
      time: this.time,
      network: this.network,
      values: { ...this.#options.values, ...values },
      kubeToken: () => this.kubeToken,
      onLine: (line) => this.#line(number, line),
    });
    this.replicas.push(replica);
    this.note(`start ${replica.name}`);
    await replica.start();
    return replica;
  }

  /** Whether this process works only while it holds the Lease. */
  isElecting(process: string): boolean {
    return this.replicas.find(({ name }) => name === process)?.isElecting ?? false;
  }

  /** As that process reads it, which may be wrong. */
  clockOf(process: string): Clock | undefined {
    return this.replicas.find(({ name }) => name === process)?.process.clock;
  }

  note(text: string): void {
    const line = `${this.time.nowMs.toFixed(1)} ${text}`;
    if (this.#options.isTraced !== false) this.#hash.update(line);
    // Renewals that went well would be most of what people read.
    if (/ (PUT|GET) \S*\/leases.* -> (200|aborted)$/.test(line)) return;
    this.tail.push(line);
    if (this.tail.length > 4000) this.tail.splice(0, 2000);
  }

  /** Of everything that was noted; the same for the same seed. */
  traceHash(): string {
    return this.#hash.copy().digest('hex');
  }

  #line(number: number, line: string): void {
    this.lines.push(line);
    const [, message] = /"msg":"([^"]*)"/.exec(line) ?? [];
    if (message !== undefined) countIn(this.branches, `log: ${message}`);
    const [, code] = /"code":"([^"]*)"/.exec(line) ?? [];
    if (code !== undefined) countIn(this.branches, `code: ${code}`);
    this.note(`  log replica-${number} ${line.replace(/"time":"[^"]*",/, '').trimEnd()}`);
  }

  #note(exchange: SimExchange): void {
    this.requests++;
    const { request, fate, outcome } = exchange;
    const what = fate === 'deliver' ? '' : ` (${fate})`;
    this.note(`${request.process} ${request.method} ${request.path} ${request.body} -> ${outcome}${what}`);
    for (const tell of this.onExchange) tell(exchange);
  }
}
