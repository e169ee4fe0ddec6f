// When the caches are complete enough to start. Policies and connections are required. The API server may refuse to list the
// others: after an upgrade, the CRD of ClusterRoleAlertConnections or the right to list namespaces may be missing. The operator
// then serves everything else, and what it cannot see has no access. When the API server refuses them later, the cached objects count
// for another minute (cluster.ts).
import type { Logger } from '../../lib/log.ts';
import type { KubeFailure } from '../kube/kube-error.ts';
import type { KubeResource } from '../kube/resource.ts';

export interface CacheSyncOptions {
  readonly required: readonly KubeResource[];
  readonly optional: readonly KubeResource[];
  readonly log: Logger;
  /** Called once. */
  readonly onSynced: () => void;
}

export class CacheSync {
  readonly #options: CacheSyncOptions;
  readonly #listed = new Set<KubeResource>();
  /** Optional resources that the API server refuses, each with the callers that wait for its list. */
  readonly #refused = new Set<KubeResource>();
  readonly #waiting = new Map<KubeResource, Set<() => void>>();
  #isDone = false;

  constructor(options: CacheSyncOptions) {
    this.#options = options;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** A complete list of the resource is in its cache. */
  listed(resource: KubeResource): void {
    this.#listed.add(resource);
    this.#refused.delete(resource);
    this.#check();
  }

  /**
   * An API server that is starting knows none of the custom resources, so a refusal counts only once the required ones are
   * listed.
   */
  failed(resource: KubeResource, code: KubeFailure['code']): void {
    const { optional, log } = this.#options;
    const isRefusal = code === 'kube-not-found' || code === 'kube-denied';
    if (!isRefusal || !optional.includes(resource) || !this.#hasRequired() || this.#refused.has(resource)) return;
    this.#refused.add(resource);
    const fix = code === 'kube-denied' ? 'apply deploy/base, which grants list and watch' : 'apply crds';
    log.warn({ resource: resource.plural, code, fix }, 'resource not available, policies that need it have no access');
    for (const wake of this.#waiting.get(resource) ?? []) wake();
    this.#check();
  }

  /** Resolves with the result of `list`, or with true when the API server refuses the resource meanwhile. */
  async unlessRefused(resource: KubeResource, list: Promise<boolean>): Promise<boolean> {
    if (this.#refused.has(resource)) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const wake = () => resolve(true);
    const waiting = this.#waiting.get(resource) ?? new Set();
    this.#waiting.set(resource, waiting.add(wake));
    return Promise.race([promise, list]).finally(() => waiting.delete(wake));
  }

  #hasRequired(): boolean {
    return this.#options.required.every((resource) => this.#listed.has(resource));
  }

  #check(): void {
    const { optional, onSynced } = this.#options;
    const isComplete = optional.every((resource) => this.#listed.has(resource) || this.#refused.has(resource));
    if (this.#isDone || !isComplete || !this.#hasRequired()) return;
    this.#isDone = true;
    onSynced();
  }
}
