// Which of several watches fail, since when, and what that means for a person who reads what they brought.
import type { Clock } from '../../lib/clock.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { KubeFailure } from '../../operator/kube/kube-error.ts';
import type { ReflectorOptions } from '../../operator/kube/reflector.ts';
import { clusterConnectionPlural } from '../../policy/resources.ts';

export type WatchObserver = NonNullable<ReflectorOptions<never>['observer']>;

interface WatchFailure {
  readonly code: KubeFailure['code'];
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
}

export class WatchHealth {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onChange: (sentence: string | undefined) => void;
  /** By resource; in the order in which they began. */
  readonly #failures = new Map<string, WatchFailure>();
  #sentence: string | undefined;

  /** `onChange` receives a sentence when a watch fails, another one when the cause changes, and undefined when all of them work again. */
  constructor(clock: Pick<Clock, 'now'>, onChange: (sentence: string | undefined) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Of each of the watches. */
  readonly observer: WatchObserver = {
    onServed: (resource) => this.#clear(resource),
    onFailure: (resource, code) => this.#fail(resource, code),
  };

  /** A lost position in the watch is no failure: the next list follows at once. */
  #fail(resource: string, code: KubeFailure['code']): void {
    if (code === 'kube-gone') return;
    this.#failures.set(resource, { code, sinceMs: this.#failures.get(resource)?.sinceMs ?? this.#clock.now() });
    this.#report();
  }

  #clear(resource: string): void {
    this.#failures.delete(resource);
    this.#report();
  }

  #report(): void {
    const [first] = this.#failures;
    const sentence = first && sentenceOf(...first);
    if (sentence === this.#sentence) return;
    this.#sentence = sentence;
    this.#onChange(sentence);
  }
}

function sentenceOf(resource: string, { code, sinceMs }: WatchFailure): string {
  return `Since ${formatTimestamp(sinceMs)} ${causeOf(resource, code)}`;
}

function causeOf(resource: string, code: KubeFailure['code']): string {
  if (code === 'kube-denied') {
    const role = resource === clusterConnectionPlural ? 'rolealerts-platform-admin' : 'rolealerts-view';
    return `the API server refuses to list ${resource}: renew the credential of the kubeconfig, or ask for the ClusterRole ${role}.`;
  }
  if (code === 'kube-not-found') return `the cluster has no ${resource}: apply crds/.`;
  return `the API server does not answer (${code}): rolealerts tries again by itself.`;
}
