// The pages of `rolealerts ui` at their addresses, from the latest state of the fleet.
import type { Clock } from '../../lib/clock.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { fleetSnapshot, type FleetSnapshot, liveFleetPage } from '../page/live-fleet-page.ts';
import { livePolicyPage, type PolicyDetails } from '../page/live-policy-page.ts';
import { liveTimelinePage, parseDays } from '../page/live-timeline-page.ts';
import { liveHeaders } from '../page/page-document.ts';
import { parsePageQuery } from '../page/page-query.ts';
import type { FleetInput } from '../report/fleet.ts';
import { timelineOf } from '../report/timeline.ts';
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
const freshMs = 30_000;

export class LivePages {
  readonly #options: LivePagesOptions;
  #input: FleetInput;
  /** Of `#input`, and at most half a minute old; made when a page needs it, once for all pages. */
  #snapshot: FleetSnapshot | undefined;
  #failure: string | undefined;

  constructor(options: LivePagesOptions) {
    this.#options = options;
    this.#input = options.first;
  }

  show(input: FleetInput): void {
    this.#input = input;
    this.#snapshot = undefined;
  }

  /** Why the latest state may be out of date, as a sentence; undefined when it is current. */
  showFailure(failure: string | undefined): void {
    this.#failure = failure;
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
    const timeline = timelineOf({ ...this.#input, nowMs, untilMs: nowMs + days * dayMs });
    return liveTimelinePage(timeline, days, this.#failure);
  }

  #fleetPage({ searchParams }: URL): string {
    const head = { title: `Role alerts of ${this.#options.place}`, failure: this.#failure };
    return liveFleetPage(this.#currentSnapshot(), parsePageQuery(searchParams), head);
  }

  /** Time alone changes what it shows: a dismissal ends soon, a day is today. */
  #currentSnapshot(): FleetSnapshot {
    const nowMs = this.#options.clock.now();
    if (this.#snapshot && Math.abs(nowMs - this.#snapshot.madeAtMs) < freshMs) return this.#snapshot;
    this.#snapshot = fleetSnapshot(this.#input, nowMs);
    return this.#snapshot;
  }

  async #policyPage(path: string): Promise<string | undefined> {
    const [, namespace, name] = /^\/policies\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    const policy = this.#input.policies.find(
      ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
    );
    if (!policy) return undefined;
    return livePolicyPage(policy, await this.#options.detailsOf(policy), {
      nowMs: this.#options.clock.now(),
      failure: this.#failure,
    });
  }
}
