// The runner's side of a worker: it sends one order at a time, and replaces a worker that gives no sign of life.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

type Outcome = Exclude<Answer, { say: 'ready' | 'begin' }> | { readonly say: 'died' };

/** Longer than any case may take (worker.ts), or an import; `usualMs`: of the slowest case. */
const silenceMsFor = (usualMs: number) => 90_000 + 60 * usualMs;
const largestRssBytes = 1_500_000_000;

export class WorkerProcess {
  readonly #paths: readonly string[];
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  constructor(paths: readonly string[], environment: Readonly<Record<string, string>>) {
    this.#paths = paths;
    this.#environment = environment;
  }

  async run(order: Order): Promise<Outcome> {
    const child = (this.#child ??= await this.#start());
    child.send(order);
    const usualMs = order.do === 'try' ? Math.max(0, ...order.cases.map(({ ms }) => ms)) : 10_000;
    const outcome = await outcomeOf(child, silenceMsFor(usualMs));
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
    const child = fork(new URL('worker.ts', import.meta.url), [...this.#paths], {
      env: { ...process.env, ...this.#environment },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', process.env['ROLEALERTS_MUTATION_STDERR'] ? 'inherit' : 'ignore', 'ipc'],
    });
    await once(child, 'message');
    return child;
  }
}

function outcomeOf(child: ChildProcess, silenceMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const finish = (outcome: Outcome) => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', giveUp);
      resolve(outcome);
    };
    const giveUp = () => finish({ say: 'died' });
    const onMessage = (answer: Answer) => {
      if (answer.say === 'begin') timer.refresh();
      else if (answer.say !== 'ready') finish(answer);
    };
    const timer = setTimeout(giveUp, silenceMs);
    child.on('message', onMessage).on('exit', giveUp);
  });
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

/** One case as it went without an edit. */
export interface RecordedCase {
  readonly file: string;
  readonly name: string;
  readonly ms: number;
  /** Of the processor, which a busy machine does not make longer. */
  readonly cpuMs: number;
  /** How often it asked for an edit. */
  readonly steps: number;
  /** Edits that it executes, in rising order. */
  readonly ids: readonly number[];
}

export type Order =
  /** Which edits the sources execute by themselves, when they are imported. */
  | { readonly do: 'import' }
  | { readonly do: 'record'; readonly file: string }
  | {
      readonly do: 'try';
      readonly id: number;
      /** The source file. */
      readonly path: string;
      /** Test files that execute it at import: they and all they need are imported anew. */
      readonly importedAnew: readonly string[];
      readonly cases: readonly RecordedCase[];
    };

export type Answer =
  | { readonly say: 'ready' }
  /** A sign of life: a file is imported, or a case begins. */
  | { readonly say: 'begin' }
  | {
      readonly say: 'recorded';
      readonly cases: readonly RecordedCase[];
      /** Executed while its cases were collected, the import of sources not counted. */
      readonly collectedIds: readonly number[];
      /** Cases that do not pass here without any edit, so they cannot notice one. */
      readonly failed: readonly string[];
      readonly rssBytes: number;
    }
  | { readonly say: 'imported'; readonly ids: readonly number[] }
  /** The tier whose case noticed it; undefined: none did. */
  | { readonly say: 'tried'; readonly noticed: string | undefined; readonly rssBytes: number };
