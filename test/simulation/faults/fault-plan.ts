// Which requests fail, and how: drawn by seed, in alternating good and bad periods, until a moment from which everything works.
// Every fault has a name and a count of its injections.
import type { Random } from '../../../src/lib/random.ts';
import type { Fate, SimRequest } from '../engine/types.ts';
import { kubeFaults } from './kube-faults.ts';
import { serviceFaults } from './service-faults.ts';

export interface FaultFacts {
  readonly request: Omit<SimRequest, 'atMs'>;
  readonly random: Random;
  /** The run does not wait until the world is quiet. */
  readonly isPatient: boolean;
}

/** One kind of fault; undefined when it does not apply to that request. */
export type Fault = (facts: FaultFacts) => Fate | undefined;

export interface FaultPlanOptions {
  readonly random: Random;
  readonly nowMs: () => number;
  /** From then on no fault is injected. */
  readonly endsAtMs: number;
  /** Until then the service takes its time, and so does its token endpoint. */
  readonly slowUntilMs: number;
  readonly kubeOrigin: string;
  readonly counts: Map<string, number>;
  readonly isPatient: boolean;
}

const spellMs = 60_000;

export class FaultPlan {
  readonly #options: FaultPlanOptions;
  #spellEndsMs = 0;
  #kubeRate = 0;
  #serviceRate = 0;
  /** In a bad period often only one kind occurs. */
  #favourite: string | undefined;

  constructor(options: FaultPlanOptions) {
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#options.nowMs() >= this.#options.endsAtMs;
  }

  fateOf(request: Omit<SimRequest, 'atMs'>): Fate {
    if (this.isOver) return this.#unhurried(request);
    const { random, kubeOrigin, counts, isPatient } = this.#options;
    this.#changeWeather();
    const isKube = request.origin === kubeOrigin;
    if (random.next() >= (isKube ? this.#kubeRate : this.#serviceRate)) return this.#slow(request);
    const faults = isKube ? kubeFaults : serviceFaults;
    const names = Object.keys(faults);
    const isFavoured = this.#favourite !== undefined && Object.hasOwn(faults, this.#favourite) && random.next() < 0.7;
    const name = isFavoured ? this.#favourite : names[Math.floor(random.next() * names.length)];
    const fate = faults[name ?? '']?.({ request, random, isPatient });
    if (!fate) return { kind: 'deliver' };
    const label = `${isKube ? 'kube' : 'service'} ${name}`;
    counts.set(label, (counts.get(label) ?? 0) + 1);
    return fate;
  }

  /** Occasional delays, which also change the order of events. */
  #slow(request: Omit<SimRequest, 'atMs'>): Fate {
    const { random } = this.#options;
    if (random.next() > 0.1) return this.#unhurried(request);
    return { kind: 'deliver', delayMs: random.next() * 2000, answerDelayMs: random.next() * 2000 };
  }

  #unhurried({ origin, method }: Omit<SimRequest, 'atMs'>): Fate {
    const { random, nowMs, slowUntilMs, kubeOrigin } = this.#options;
    if (nowMs() >= slowUntilMs || origin === kubeOrigin || method === 'PATCH') return { kind: 'deliver' };
    return { kind: 'deliver', answerDelayMs: random.next() ** 2 * 15_000 };
  }

  #changeWeather(): void {
    const { random, nowMs } = this.#options;
    if (nowMs() < this.#spellEndsMs) return;
    this.#spellEndsMs = nowMs() + spellMs * (0.2 + random.next() * 3);
    this.#kubeRate = weather(random);
    this.#serviceRate = weather(random);
    const names = [...Object.keys(kubeFaults), ...Object.keys(serviceFaults)];
    this.#favourite = random.next() < 0.4 ? names[Math.floor(random.next() * names.length)] : undefined;
  }
}

/** Mostly fair, sometimes bad, sometimes nothing works at all. */
function weather(random: Random): number {
  const draw = random.next();
  if (draw < 0.4) return 0;
  if (draw < 0.75) return 0.08;
  return draw < 0.93 ? 0.4 : 1;
}
