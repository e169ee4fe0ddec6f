// The simulated API server behind the operator's own transport, for cases that a real one has to show alike.
import { seededRandom } from '../../../src/lib/random.ts';
import type { ApiServerConnection } from '../../../src/operator/kube/api-server-connection.ts';
import { createKubeTransport, type KubeTransport } from '../../../src/operator/kube/transport.ts';
import { SimNetwork } from '../engine/network.ts';
import { SimProcess } from '../engine/sim-process.ts';
import { VirtualTime } from '../engine/virtual-time.ts';
import { SimApiServer } from './api-server.ts';
import { createNamespace } from './namespaces.ts';
import type { SimResource } from './resources.ts';

const origin = 'https://kubernetes.sim';
const stepMs = 100;
/** What takes longer waits for something that never comes. */
const longestMs = 600_000;

export class SimKube {
  readonly transport: KubeTransport;
  readonly stranger: KubeTransport;
  readonly unprivileged: KubeTransport;
  readonly #time = new VirtualTime();
  readonly #process = new SimProcess('client', this.#time);
  readonly #network: SimNetwork;
  readonly #api: SimApiServer;
  #namespaces = 0;

  constructor(resources: readonly SimResource[]) {
    const time = this.#time;
    this.#network = new SimNetwork({ time, random: seededRandom(1), fateOf: () => ({ kind: 'deliver' }) });
    this.#api = new SimApiServer({ time, random: seededRandom(2), resources });
    this.#api.tokens.add('unprivileged');
    this.#api.isDenied = ({ token }) => token === 'unprivileged';
    this.#network.addHost(origin, this.#api);
    // A real one has forgotten its first versions, too, by the time that it answers.
    this.#api.store.compact();
    this.transport = this.#connect('sim-token');
    this.stranger = this.#connect('unknown');
    this.unprivileged = this.#connect('unprivileged');
  }

  async newNamespace(): Promise<string> {
    const name = `test-${this.#namespaces++}`;
    createNamespace(this.#api, name);
    return name;
  }

  async until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      await new Promise<void>((resolve) => {
        this.#time.schedule(stepMs, resolve);
      });
    }
  }

  /** Lets time pass until the work is done. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    const state = { isOver: false };
    const end = () => {
      state.isOver = true;
    };
    work.then(end, end);
    while (!state.isOver && this.#time.nowMs < longestMs) await this.#time.runUntil(this.#time.nowMs + stepMs);
    if (!state.isOver) throw new Error('it waits for something that never comes');
    return work;
  }

  #connect(token: string): KubeTransport {
    const dispatcher = this.#network.openDispatcher(this.#process, origin);
    const connection: ApiServerConnection = {
      origin,
      basePath: '',
      requests: dispatcher,
      watches: dispatcher,
      headers: async () => ({ authorization: `Bearer ${token}` }),
      forgetCredentials: () => undefined,
      close: () => dispatcher.destroy(),
    };
    return createKubeTransport({ connection, clock: this.#process.clock });
  }
}
