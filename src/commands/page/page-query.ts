// The query string of the live page: what is searched, which rows are shown, and the links between the states of the page.
import type { PolicyRow } from '../report/fleet.ts';

export const readyChoices = ['True', 'False', 'Unknown'] as const;

export interface PageQuery {
  /** Words that a row has in its name, reason, mode, scope or connection, regardless of case. */
  readonly search: string;
  readonly ready: (typeof readyChoices)[number] | undefined;
  readonly hasIncidents: boolean;
  /** From 1. */
  readonly page: number;
}

const longestSearch = 256;

/** Ignores what it does not know, as a link may come from another version. */
export function parsePageQuery(parameters: URLSearchParams): PageQuery {
  const ready = readyChoices.find((choice) => choice === parameters.get('ready'));
  const page = /^[1-9][0-9]{0,5}$/.test(parameters.get('page') ?? '') ? Number(parameters.get('page')) : 1;
  const search = (parameters.get('q') ?? '').trim().slice(0, longestSearch);
  return { search, ready, hasIncidents: parameters.get('incidents') === 'open', page };
}

/** A relative address with exactly what differs from the default. */
export function pageAddress({ search, ready, hasIncidents, page }: PageQuery): string {
  const parameters = new URLSearchParams();
  if (search !== '') parameters.set('q', search);
  if (ready !== undefined) parameters.set('ready', ready);
  if (hasIncidents) parameters.set('incidents', 'open');
  if (page !== 1) parameters.set('page', String(page));
  return parameters.size === 0 ? '/' : `/?${parameters.toString()}`;
}

export function matchingRows(
  rows: readonly PolicyRow[],
  { search, ready, hasIncidents }: PageQuery,
): readonly PolicyRow[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return rows.filter((row) => {
    if (ready !== undefined && row.ready !== ready) return false;
    if (hasIncidents && row.incidents === 0) return false;
    const text = textOf(row);
    return words.every((word) => text.includes(word));
  });
}

function textOf({ namespace, name, reason, mode, scope, connection }: PolicyRow): string {
  return `${namespace}/${name} ${reason} ${mode} ${scope} ${connection}`.toLowerCase();
}
