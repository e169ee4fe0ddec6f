// The pages of `rolealerts ui` at their addresses, from the latest state of the fleet.
import type { Clock } from '../../lib/clock.ts';
import { byText } from '../../lib/compare-text.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import type { PolicyTrace } from '../checks/trace.ts';
import { type FleetInput, fleetWith } from '../report/fleet.ts';
import { contentsOf, documentHtml, sectionsMarkup } from '../report/html.ts';
import { markup, type Markup, verbatim } from '../report/markup.ts';
import { filtersOf, type Report, searchReport } from '../report/model.ts';
import { liveScript } from './live-script.ts';
import { policyReport } from './policy-report.ts';

export interface LivePagesOptions {
  readonly first: FleetInput;
  /** The report of a fleet at `nowMs`. `namespace`: the only one that it is of; undefined for all that were read. */
  readonly reportOf: (input: FleetInput, namespace: string | undefined) => Report;
  readonly clock: Pick<Clock, 'now'>;
  /** Read for each page of a policy; undefined when it cannot be read. */
  readonly traceOf: (policy: RoleAlertPolicy) => Promise<PolicyTrace | undefined>;
}

const freshMs = 30_000;
/** Rows of a section beyond this number are counted; the search finds them. */
const mostRows = 200;
const longestSearch = 256;

export class LivePages {
  readonly #options: LivePagesOptions;
  #input: FleetInput;
  /** Of `#input`, and at most half a minute old; made when a page needs it, once for all pages. */
  #made: { readonly atMs: number; readonly namespace: string | undefined; readonly report: Report } | undefined;
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
    if (pathname === '/') {
      return this.#fleetPage((name) => (searchParams.get(name) ?? '').trim().slice(0, longestSearch));
    }
    const [, namespace, name] = /^\/policies\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
    const policy = this.#input.policies.find(
      ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
    );
    if (!policy) return undefined;
    return this.#page(policyReport(policy, await this.#options.traceOf(policy)), markup`<p><a href="/">Fleet</a></p>`);
  }

  /** `asked`: the value of a parameter of the address; empty without one. */
  #fleetPage(asked: (name: string) => string): string {
    const [search, namespace] = [asked('q'), asked('namespace')];
    const report = this.#currentReport(namespace === '' ? undefined : namespace);
    const filters = filtersOf(report);
    const chosen = new Map(
      [...filters.keys()].flatMap((name) => (asked(name) === '' ? [] : [[name, asked(name)] as const])),
    );
    const namespaces = new Set(this.#input.policies.map(({ metadata }) => metadata.namespace));
    const form = markup`<search><form method="get" action="/">
<label>Search every table <input type="search" name="q" value="${search}" maxlength="${longestSearch}" autocomplete="off" spellcheck="false"></label>
${selectMarkup('namespace', [...namespaces].sort(byText), namespace)}${[...filters].map(([name, values]) => selectMarkup(name, values, asked(name)))}
<button>Search</button></form></search>${search === '' && namespace === '' && chosen.size === 0 ? undefined : markup`<p><a href="/">Show everything</a></p>`}`;
    const found = searchReport(report, search, chosen);
    return this.#page(found, markup`${contentsOf(found)}${form}`);
  }

  /** Time alone changes what it shows: a dismissal ends soon. */
  #currentReport(namespace: string | undefined): Report {
    const nowMs = this.#options.clock.now();
    if (!this.#made || Math.abs(nowMs - this.#made.atMs) >= freshMs || this.#made.namespace !== namespace) {
      const ofNamespace = ({ metadata }: RoleAlertPolicy) => metadata.namespace === namespace;
      const input =
        namespace === undefined ? this.#input : fleetWith(this.#input, this.#input.policies.filter(ofNamespace));
      this.#made = { atMs: nowMs, namespace, report: this.#options.reportOf({ ...input, nowMs }, namespace) };
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

/** A value that no row has any more stays chosen. */
function selectMarkup(name: string, values: Iterable<string>, chosen: string): Markup {
  const options = [...new Set(['', ...values, chosen])].map(
    (value) =>
      markup`<option value="${value}"${value === chosen ? verbatim(' selected') : undefined}>${value === '' ? 'all' : value}</option>`,
  );
  return markup`<label>${name.replace(/^./, (first) => first.toUpperCase())} <select name="${name}">${options}</select></label>`;
}
