// The pages of `rolealerts ui` at their addresses, from the latest state of the fleet.
import type { Clock } from '../lib/clock.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import type { FleetInput } from '../view/fleet.ts';
import { fleetSnapshot, type FleetSnapshot, liveFleetPage } from '../view/page/live-fleet-page.ts';
import { livePolicyPage, type PolicyDetails } from '../view/page/live-policy-page.ts';
import { liveTimelinePage, parseDays } from '../view/page/live-timeline-page.ts';
import { liveHeaders } from '../view/page/page-document.ts';
import { parsePageQuery } from '../view/page/page-query.ts';
import { timelineOf } from '../view/timeline.ts';
import type { UiPage } from './ui-server.ts';

export interface LivePagesOptions {
  readonly first: FleetInput;
  /** `namespace payments` or `all namespaces`. */
  readonly place: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Read for each page of a policy. */
  readonly detailsOf: (policy: RoleAlertPolicy) => Promise<PolicyDetails>;
}

const dayMs = 86_400_000;

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
    const text = await this.#textAt(url);
    return text === undefined ? undefined : { headers: liveHeaders, text };
  }

  async #textAt(url: URL): Promise<string | undefined> {
    if (url.pathname === '/') return this.#fleetPage(url);
    return url.pathname === '/timeline' ? this.#timelinePage(url) : this.#policyPage(url.pathname);
  }

  #timelinePage({ searchParams }: URL): string {
    const days = parseDays(searchParams);
    const nowMs = this.#options.clock.now();
    return liveTimelinePage(timelineOf({ ...this.#input, nowMs, untilMs: nowMs + days * dayMs }), days);
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
    return livePolicyPage(policy, await this.#options.detailsOf(policy));
  }
}
