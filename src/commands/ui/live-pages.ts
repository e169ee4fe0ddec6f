// The page of `rolealerts ui`, from the latest state of the fleet.
import type { Clock } from '../../lib/clock.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { FleetInput } from '../report/fleet.ts';
import { contentsOf, documentHtml, sectionsMarkup } from '../report/html.ts';
import { markup } from '../report/markup.ts';
import { type Report, searchReport } from '../report/model.ts';
import { liveScript } from './live-script.ts';

export interface LivePagesOptions {
  readonly first: FleetInput;
  /** The report of a fleet at `nowMs`. */
  readonly reportOf: (input: FleetInput) => Report;
  readonly clock: Pick<Clock, 'now'>;
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

  /** `parameters`: those of its address. */
  pageFor(parameters: URLSearchParams): string {
    const search = (parameters.get('q') ?? '').trim().slice(0, longestSearch);
    const form = markup`<search><form method="get" action="./">
<label>Search every table <input type="search" name="q" value="${search}" maxlength="${longestSearch}" autocomplete="off" spellcheck="false"></label>
<button>Search</button></form></search>${search === '' ? undefined : markup`<p><a href="./">Show everything</a></p>`}`;
    const found = searchReport(this.#currentReport(), search);
    const state = `Changed at ${formatTimestamp(this.#input.nowMs)}. Updates by itself.`;
    // The script replaces the notice and the sections.
    return documentHtml({
      title: found.title,
      header: markup`<p class="quiet" id="state">${state}</p><p id="notice" role="status">${this.#failure}</p>${contentsOf(found)}${form}`,
      main: sectionsMarkup(found, mostRows),
      script: liveScript,
    });
  }

  /** Time alone changes what it shows: a dismissal ends soon. */
  #currentReport(): Report {
    const nowMs = this.#options.clock.now();
    if (!this.#made || Math.abs(nowMs - this.#made.atMs) >= freshMs) {
      this.#made = { atMs: nowMs, report: this.#options.reportOf({ ...this.#input, nowMs }) };
    }
    return this.#made.report;
  }
}
