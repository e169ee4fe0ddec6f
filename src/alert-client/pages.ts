// All pages of one list, or nothing. A list that cannot be trusted as a whole is an error, since what is missing from
// it would read as "no such alert": so no bad page is skipped, no loop is cut short, no cap gives a shorter list.
import { isUtf8 } from 'node:buffer';

import { decodeAlertPage, type AlertPage } from '../alerts/decode.ts';
import { canonicalName } from '../alerts/resource-id.ts';
import type { Alert, AlertList } from '../alerts/types.ts';
import { CodedError } from '../lib/errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { HttpResponse } from './http-call.ts';
import { nextTarget } from './next-link.ts';

export interface PagesOptions {
  readonly endpoint: Endpoint;
  readonly listPath: string;
  /** Path and query of the first page. */
  readonly firstTarget: string;
  readonly maxPages: number;
  /** Reads one page; the answer's status is 200. */
  readonly readPage: (target: string) => Promise<HttpResponse>;
}

/**
 * Alerts that one list may have. A service has a few dozen kinds; what is decided about each of them, by every policy, is held in memory at
 * once, and the operator of the host determines the response.
 */
export const mostAlerts = 5000;

/** Throws `service-protocol` with the reason `ListTooLarge`, `UnsafeNextLink` or `ProtocolError`. */
export async function readPages({
  endpoint,
  listPath,
  firstTarget,
  maxPages,
  readPage,
}: PagesOptions): Promise<AlertList> {
  const alerts: Alert[] = [];
  const seen = new Set<string>();
  let target: string | undefined = firstTarget;
  while (target !== undefined) {
    if (seen.has(target)) throw untrusted('ProtocolError', 'The pages of the list lead in a circle.');
    if (seen.size >= maxPages) throw untrusted('ListTooLarge', 'The list has more pages than the connection allows.');
    seen.add(target);
    const page = decodePage(await readPage(target), mostAlerts - alerts.length);
    for (const alert of page.alerts) alerts.push(alert);
    target = page.nextLink === undefined ? undefined : nextTarget(endpoint, target, listPath, page.nextLink);
  }
  refuseRepeatedNames(alerts);
  return { alerts, pages: seen.size };
}

/** `room`: how many alerts it may have. */
function decodePage({ body, unread }: HttpResponse, room: number): AlertPage {
  if (unread === 'Encoded') throw untrusted('ProtocolError', 'The page is in an encoding that was not asked for.');
  if (body === undefined) throw untrusted('ListTooLarge', 'A page of the list is larger than the connection allows.');
  // A replacement character would be part of a name, or of a link.
  if (!isUtf8(body)) throw untrusted('ProtocolError', 'The page is not in UTF-8.');
  const json = parseJson(body.toString('utf8'));
  if (entriesOf(json) > room) throw untrusted('ListTooLarge', `The list has more than ${mostAlerts} alerts.`);
  const { value, problems } = decodeAlertPage(json);
  if (value !== undefined) return value;
  const detail = problems.map(({ path, message }) => `${path === '' ? 'the page' : path} ${message}`).join('; ');
  throw untrusted('ProtocolError', 'The page does not have the shape of a list of alerts.', detail);
}

/** Before any of them is decoded. */
function entriesOf(json: unknown): number {
  const isPage = typeof json === 'object' && json !== null && 'value' in json;
  return isPage && Array.isArray(json.value) ? json.value.length : 0;
}

/** The parser's own error quotes the text, which may name people, so it goes no further. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw untrusted('ProtocolError', 'The page is not JSON.');
  }
}

/**
 * Pages that shift while they are read show an alert twice, and then they may also have left one out; two entries of one
 * name may disagree, too. The specification promises neither order nor snapshots, so such a list is read again.
 */
function refuseRepeatedNames(alerts: readonly Alert[]): void {
  const names = new Set<string>();
  for (const { name } of alerts) names.add(canonicalName(name));
  if (names.size < alerts.length) throw untrusted('ProtocolError', 'The list names one alert twice.');
}

function untrusted(reason: string, message: string, detail?: string): CodedError {
  return new CodedError('service-protocol', message, { reason, ...(detail !== undefined && { detail }) });
}
