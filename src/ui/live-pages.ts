// The pages of `rolealerts ui` at their addresses, from the latest state of the fleet.
import type { FleetInput } from '../view/fleet.ts';
import { fleetSnapshot, type FleetSnapshot, liveFleetPage } from '../view/page/live-fleet-page.ts';
import { livePolicyPage, type PolicyEvents } from '../view/page/live-policy-page.ts';
import { liveHeaders } from '../view/page/page-document.ts';
import { parsePageQuery } from '../view/page/page-query.ts';
import type { UiPage } from './ui-server.ts';

export interface LivePagesOptions {
  readonly first: FleetInput;
  /** `namespace payments` or `all namespaces`. */
  readonly place: string;
  /** Of the object with this uid. */
  readonly eventsOf: (uid: string, namespace: string) => Promise<PolicyEvents>;
}

export class LivePages {
  readonly #options: LivePagesOptions;
  #input: FleetInput;
  /** Of `#input`; made when a page needs it, once for all pages. */
  #snapshot: FleetSnapshot | undefined;

  constructor(options: LivePagesOptions) {
    this.#options = options;
    this.#input = options.first;
  }

  show(input: FleetInput): void {
    this.#input = input;
    this.#snapshot = undefined;
  }

  /** Undefined when there is no such page. */
  async at(url: URL): Promise<UiPage | undefined> {
    const text = url.pathname === '/' ? this.#fleetPage(url) : await this.#policyPage(url.pathname);
    return text === undefined ? undefined : { headers: liveHeaders, text };
  }

  #fleetPage({ searchParams }: URL): string {
    this.#snapshot ??= fleetSnapshot(this.#input);
    return liveFleetPage(this.#snapshot, parsePageQuery(searchParams), this.#options.place);
  }

  async #policyPage(path: string): Promise<string | undefined> {
    const [, namespace, name] = /^\/policies\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    const policy = this.#input.policies.find(
      ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
    );
    if (!policy) return undefined;
    return livePolicyPage(policy, await this.#options.eventsOf(policy.metadata.uid, policy.metadata.namespace));
  }
}
