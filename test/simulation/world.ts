// One simulated world: time, network, API server, alerts service and the replicas of the operator. The scenario decides what happens
// in it, and the oracles judge it.
import { createHash } from 'node:crypto';

import type { Clock } from '../../src/lib/clock.ts';
import { type Random, seededRandom } from '../../src/lib/random.ts';
import type { ManagerValues } from '../../src/operator/manager/manager.ts';
import type { PlanRecorder } from '../../src/operator/ports.ts';
import { type ServiceCall, SimAlertsService } from './alerts/sim-service.ts';
import { countIn, countMutations, countReasons } from './coverage-counts.ts';
import { type DismissedAlert, rememberDismissed, rememberFlagChanges } from './dismissed-alerts.ts';
import { SimNetwork } from './engine/network.ts';
import type { SimProcess } from './engine/sim-process.ts';
import { type Fate, isUnconnected, type SimExchange, type SimRequest } from './engine/types.ts';
import { VirtualTime } from './engine/virtual-time.ts';
import { LastingFaults } from './faults/lasting-faults.ts';
import { Knowledge } from './knowledge.ts';
import { SimApiServer } from './kube/api-server.ts';
import { createNamespace } from './kube/namespaces.ts';
import type { SimResource } from './kube/resources.ts';
import { kubeOrigin, Replica, simValues } from './replica.ts';
import { type Judge, sendingOf } from './sending.ts';

export const serviceOrigin = 'https://alerts.sim';
/** Another service with the same accounts and alerts of its own. */
export const otherOrigin = 'https://moved.sim';
/** Listens, and shows a certificate that no connection trusts. */
export const untrustedOrigin = 'https://untrusted.sim';

export interface WorldOptions {
  readonly seed: number;
  readonly resources: readonly SimResource[];
  readonly fateOf?: (request: Omit<SimRequest, 'atMs'>) => Fate;
  readonly values?: Partial<ManagerValues>;
  readonly pageSize?: number;
  readonly serviceLagMs?: () => number;
  readonly isForgotten?: () => boolean;
  readonly watchLagMs?: () => number;
  readonly mangle?: (line: string) => readonly (string | Buffer)[];
  /** Receives the plans of every replica. */
  readonly recorder?: PlanRecorder | undefined;
  /** False saves the time that a hash of everything takes. */
  readonly isTraced?: boolean;
}

export class World {
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly network: SimNetwork;
  readonly api: SimApiServer;
  readonly service: SimAlertsService;
  readonly otherService: SimAlertsService;
  /** What each process learned from the API server. */
  readonly knowledge: Knowledge;
  readonly lasting: LastingFaults;
  /** Called for every request to a service immediately before it is written. */
  readonly judges: Judge[] = [];
  /** Faults, acts and reasons, by name. */
  readonly counts = new Map<string, number>();
  readonly replicas: Replica[] = [];
  /** The last events, for people. */
  readonly tail: string[] = [];
  /** Log lines of all replicas. */
  readonly lines: string[] = [];
  readonly dismissed: ReadonlyMap<string, DismissedAlert>;
  /** When each flag last changed; by `alertKey`. */
  readonly flagChanges: ReadonlyMap<string, number>;
  /** Requests that ended. */
  requests = 0;
  /** PATCHes to the service, and writes to Kubernetes other than those of a Lease. */
  mutations = 0;
  lastMutation = '';
  kubeToken = 'sim-token';
  /** The authority that a CA bundle must contain now. Connections without a bundle trust the services anyway. */
  authority = 'authority-0';
  #clockStepMs = -Infinity;
  readonly onDispatch = new Set<(process: SimProcess, method: string) => void>();
  readonly onExchange: ((exchange: SimExchange) => void)[] = [];
  readonly #options: WorldOptions;
  readonly #hash = createHash('sha256');
  readonly #notSent = new Set<string>();
  #started = 0;
  #lastValues: Partial<ManagerValues> = {};

  constructor(options: WorldOptions) {
    this.#options = options;
    const { seed, resources, fateOf = () => ({ kind: 'deliver' }) } = options;
    const { time } = this;
    this.random = seededRandom(seed);
    this.network = new SimNetwork({
      time,
      random: seededRandom(seed + 1),
      fateOf: (request) => this.#fateOf(request, fateOf),
      onDispatch: (process, method) => {
        for (const notify of this.onDispatch) notify(process, method);
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
    const common = {
      time,
      pageSize: options.pageSize ?? 50,
      lagMs: options.serviceLagMs ?? (() => 0),
      isForgotten: options.isForgotten ?? (() => false),
    };
    this.service = new SimAlertsService({ ...common, origin: serviceOrigin });
    this.service.accounts.verifyAssertion = (token, nowMs) => this.api.tokenRequests.verify(token, nowMs);
    this.otherService = new SimAlertsService({ ...common, origin: otherOrigin, accounts: this.service.accounts });
    this.network.addHost(kubeOrigin, this.api);
    for (const service of this.services) this.network.addHost(service.origin, service);
    this.network.addHost(untrustedOrigin, this.service);
    this.knowledge = new Knowledge(this);
    this.lasting = new LastingFaults({
      random: seededRandom(seed + 3),
      nowMs: () => time.nowMs,
      callerOf: (headers) => this.service.accounts.callerOf(headers, time.nowMs),
      count: (name) => countIn(this.counts, name),
    });
    for (const name of ['rolealerts-system', 'default']) createNamespace(this.api, name);
    this.dismissed = rememberDismissed(this);
    this.flagChanges = rememberFlagChanges(this);
    countMutations(this);
    countReasons(this);
  }

  get services(): readonly SimAlertsService[] {
    return [this.service, this.otherService];
  }

  /** Reports every request that a service accepted, after its response. */
  onCall(listener: (call: ServiceCall) => void): void {
    for (const service of this.services) service.onCall.push(listener);
  }

  /** Starts a new process. A restarted replica is a new process with a new name. */
  async startReplica(values: Partial<ManagerValues> = this.#lastValues): Promise<Replica> {
    this.#lastValues = values;
    const number = this.#started++;
    const replica = new Replica({
      name: `replica-${number}`,
      seed: this.#options.seed * 31 + number,
      time: this.time,
      network: this.network,
      values: { ...this.#options.values, ...values },
      kubeToken: () => this.kubeToken,
      recorder: this.#options.recorder,
      onLine: (line) => this.#line(number, line),
    });
    this.replicas.push(replica);
    this.note(`start ${replica.name}`);
    await replica.start();
    return replica;
  }

  /** The interval of policies that name none; milliseconds. */
  get defaultIntervalMs(): number {
    return { ...simValues, ...this.#options.values, ...this.#lastValues }.interval;
  }

  /** Whether this process works only while it holds the Lease. */
  isElecting(process: string): boolean {
    return this.replicas.find(({ name }) => name === process)?.isElecting ?? false;
  }

  /** The wall clock of the replica is off by so much more. */
  stepClock({ process }: Replica, ms: number): void {
    this.#clockStepMs = this.time.nowMs;
    process.stepWall(ms);
  }

  /** True once the wall clock of a process was set wrong. */
  get hasWrongClocks(): boolean {
    return this.#clockStepMs > -Infinity;
  }

  /** How long ago the wall clock of a process was last set; milliseconds. */
  get sinceClockStepMs(): number {
    return this.time.nowMs - this.#clockStepMs;
  }

  /** As that process reads it, which may be wrong. */
  clockOf(process: string): Clock | undefined {
    return this.replicas.find(({ name }) => name === process)?.process.clock;
  }

  note(text: string): void {
    const line = `${this.time.nowMs.toFixed(1)} ${text}`;
    if (this.#options.isTraced !== false) this.#hash.update(line);
    // Successful renewals of the Lease would be most of the tail.
    if (/ (PUT|GET) \S*\/leases.* -> (200|aborted)$/.test(line)) return;
    this.tail.push(line);
    if (this.tail.length > 4000) this.tail.splice(0, 2000);
  }

  /** Of everything that was noted; the same for the same seed. */
  traceHash(): string {
    return this.#hash.copy().digest('hex');
  }

  #fateOf(request: Omit<SimRequest, 'atMs'>, drawn: (request: Omit<SimRequest, 'atMs'>) => Fate): Fate {
    const { origin } = request;
    if (origin === kubeOrigin) return drawn(request);
    const isTrusted = request.trust === undefined || request.trust === this.authority;
    if (origin === untrustedOrigin || !isTrusted) return { kind: 'tls-failed' };
    const fate = this.lasting.fateOf(request) ?? drawn(request);
    if (!isUnconnected(fate.kind)) this.#judge(request);
    return fate;
  }

  /** Asks the judges about a request, and reports their verdicts after this tick, unless the handler prevents the send. */
  #judge(request: Omit<SimRequest, 'atMs'>): void {
    const sending = sendingOf(this, request);
    const verdicts = this.judges.map((judge) => judge(sending)).filter((verdict) => verdict !== undefined);
    if (verdicts.length === 0) return;
    const requests = this.#notSent;
    requests.delete(identityOf(request));
    this.time.schedule(0, () => {
      if (requests.delete(identityOf(request))) return;
      for (const pronounce of verdicts) pronounce();
    });
  }

  #line(number: number, line: string): void {
    this.lines.push(line);
    this.note(`  log replica-${number} ${line.replace(/"time":"[^"]*",|"stack":"(?:[^"\\]|\\.)*",/g, '').trimEnd()}`);
  }

  #note(exchange: SimExchange): void {
    this.requests++;
    const { request, fate, outcome } = exchange;
    if (outcome === 'not sent') this.#notSent.add(identityOf(request));
    const what = fate === 'deliver' ? '' : ` (${fate})`;
    this.note(`${request.process} ${request.method} ${request.path} ${request.body} -> ${outcome}${what}`);
    for (const notify of this.onExchange) notify(exchange);
  }
}

function identityOf({ process, method, path, sentAtMs }: Omit<SimRequest, 'atMs'>): string {
  return `${process} ${method} ${path} ${sentAtMs}`;
}
