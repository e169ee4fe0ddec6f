// The pages of `rolealerts ui` at their addresses, from the latest state of the fleet.
import type { Clock } from '../../lib/clock.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import type { FleetInput } from '../report/fleet.ts';
import { contentsOf, documentHtml, sectionsMarkup } from '../report/html.ts';
import { markup, type Markup } from '../report/markup.ts';
import { type Report, searchReport } from '../report/model.ts';
import { liveScript } from './live-script.ts';
import { type PolicyDetails, policyReport } from './policy-report.ts';

export interface LivePagesOptions {
  readonly first: FleetInput;
  /** The report of a fleet at `nowMs`. */
  readonly reportOf: (input: FleetInput) => Report;
  readonly clock: Pick<Clock, 'now'>;
  /** Read for each page of a policy. */
  readonly detailsOf: (policy: RoleAlertPolicy) => Promise<PolicyDetails>;
}

const freshMs = 30_000;
/** Rows of a section beyond this number are counted; the search finds them. */
const mostRows = 200;
const longestSearch = 256;

export class LivePages {
  readonly #options: LivePagesOptions;
  #input: FleetInput;
  /** Of `#input`, and at most half a minute old; made when a page needs it, once for all pages. */
  #made: { readonly atMs: number; readonly report: Report } | undefined;
  #failure: string | undefined;

  constructor(options: LivePagesOptions) {
    this.#options = options;
    this.#input = options.first;
  }

  show(input: FleetInput): void {
    this.#input = input;
    this.#made = undefined;
  }

  /** Why the latest state may be out of date, as a sentence; undefined when it is current. */
  showFailure(failure: string | undefined): void {
    this.#failure = failure;
  }

  /** Undefined when there is no such page. */
  async at({ pathname, searchParams }: URL): Promise<string | undefined> {
    if (pathname === '/') return this.#fleetPage((searchParams.get('q') ?? '').trim().slice(0, longestSearch));
    const [, namespace, name] = /^\/policies\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
    const policy = this.#input.policies.find(
      ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
    );
    if (!policy) return undefined;
    return this.#page(
      policyReport(policy, await this.#options.detailsOf(policy)),
      markup`<p><a href="/">Fleet</a></p>`,
    );
  }

  #fleetPage(search: string): string {
    const report = this.#currentReport();
    const form = markup`<search><form method="get" action="/">
<label>Search every table <input type="search" name="q" value="${search}" maxlength="${longestSearch}" autocomplete="off" spellcheck="false"></label>
<button>Search</button></form></search>${search === '' ? undefined : markup`<p><a href="/">Show everything</a></p>`}`;
    return this.#page(searchReport(report, search), markup`${contentsOf(report)}${form}`);
  }

  /** Time alone changes what it shows: a dismissal ends soon. */
  #currentReport(): Report {
    const nowMs = this.#options.clock.now();
    if (!this.#made || Math.abs(nowMs - this.#made.atMs) >= freshMs) {
      this.#made = { atMs: nowMs, report: this.#options.reportOf({ ...this.#input, nowMs }) };
    }
    return this.#made.report;
  }

  /** The script replaces the notice and the sections. */
  #page(report: Report, header: Markup): string {
    const state = `Changed at ${formatTimestamp(this.#input.nowMs)}. Updates by itself.`;
    return documentHtml({
      title: report.title,
      header: markup`<p class="quiet" id="state">${state}</p><p id="notice" role="status">${this.#failure}</p>${header}`,
      main: sectionsMarkup(report, { linkTo: (policy) => `/policies/${policy}`, mostRows }),
      script: liveScript,
    });
  }
}
