// The runner's side of a worker: it sends one order at a time, and replaces a worker that gives no sign of life.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

import type { Answer, CaseRef, Order } from './orders.ts';

export type Outcome =
  | Exclude<Answer, { say: 'ready' | 'begin' }>
  | { readonly say: 'died'; readonly how: string; readonly by: CaseRef };

/** Longer than any case may take (worker.ts), or an import; `usualMs`: of the slowest case. */
const silenceMsFor = (usualMs: number) => 90_000 + 60 * usualMs;
const largestRssBytes = 1_500_000_000;

export class WorkerProcess {
  readonly #folders: readonly string[];
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  constructor(folders: readonly string[], environment: Readonly<Record<string, string>>) {
    this.#folders = folders;
    this.#environment = environment;
  }

  async run(order: Order): Promise<Outcome> {
    const child = (this.#child ??= await this.#start());
    child.send(order);
    const usualMs = order.do === 'try' ? Math.max(0, ...order.cases.map(({ ms }) => ms)) : 10_000;
    const outcome = await this.#outcomeOf(child, silenceMsFor(usualMs));
    const isLarge = 'rssBytes' in outcome && outcome.rssBytes > largestRssBytes;
    if (outcome.say === 'died' || isLarge) await this.stop();
    return outcome;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(new URL('worker.ts', import.meta.url), [...this.#folders], {
      env: { ...process.env, ...this.#environment },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', process.env['ROLEALERTS_MUTATION_STDERR'] ? 'inherit' : 'ignore', 'ipc'],
    });
    await once(child, 'message');
    return child;
  }

  #outcomeOf(child: ChildProcess, silenceMs: number): Promise<Outcome> {
    let by: CaseRef = { file: '', name: '' };
    return new Promise((resolve) => {
      const finish = (outcome: Outcome) => {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', onExit);
        resolve(outcome);
      };
      const giveUp = () => finish({ say: 'died', how: 'no sign of life', by });
      const onExit = () => finish({ say: 'died', how: 'the process ended', by });
      const onMessage = (answer: Answer) => {
        if (answer.say === 'begin') {
          by = answer.what;
          timer.refresh();
        } else if (answer.say !== 'ready') finish(answer);
      };
      const timer = setTimeout(giveUp, silenceMs);
      child.on('message', onMessage).on('exit', onExit);
    });
  }
}

/** Hands `items` out to `workers`, each to the one that is free first. */
export async function share<T>(
  workers: readonly WorkerProcess[],
  items: readonly T[],
  work: (worker: WorkerProcess, item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  await Promise.all(
    workers.map(async (worker) => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(worker, item);
    }),
  );
}
