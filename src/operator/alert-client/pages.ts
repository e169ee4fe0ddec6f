// Reads all pages of one list, or fails. A partial list is an error, because a missing entry would mean "no such alert":
// a bad page, a loop of nextLinks and an exceeded limit all fail the list.
import { isUtf8 } from 'node:buffer';

import { AlertsError } from '../../alerts/alerts-error.ts';
import { type AlertPage, decodeAlertPage } from '../../alerts/decode.ts';
import { canonicalName } from '../../alerts/resource-id.ts';
import type { Alert, AlertList } from '../../alerts/types.ts';
import { arrayOf, objectOf, parseJson } from '../../lib/json-shape.ts';
import { type Endpoint, versionQuery } from './endpoint.ts';
import type { HttpResponse } from './http-call.ts';

export interface PagesOptions {
  readonly endpoint: Endpoint;
  readonly listPath: string;
  /** Path and query of the first page. */
  readonly firstTarget: string;
  readonly maxPages: number;
  /** Reads one page. Resolves only with a 200. */
  readonly readPage: (target: string) => Promise<HttpResponse>;
}

/**
 * The maximum number of alerts in one list. A service has a few dozen kinds of alerts. The plan holds every policy's decision on every
 * alert in memory, and an untrusted host controls the size of the response.
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
    if (seen.has(target)) throw untrusted('ProtocolError', 'The nextLinks of the list form a loop.');
    if (seen.size >= maxPages) throw untrusted('ListTooLarge', 'The list has more pages than the connection allows.');
    seen.add(target);
    const page = decodePage(await readPage(target), mostAlerts - alerts.length);
    for (const alert of page.alerts) alerts.push(alert);
    target = page.nextLink === undefined ? undefined : nextTarget(endpoint, target, listPath, page.nextLink);
  }
  refuseRepeatedNames(alerts);
  return { alerts, pages: seen.size };
}

/** `room`: the number of alerts that the page may still have. */
function decodePage({ body, unread }: HttpResponse, room: number): AlertPage {
  if (unread === 'Encoded') throw untrusted('ProtocolError', 'The page has a content encoding that was not requested.');
  if (body === undefined) throw untrusted('ListTooLarge', 'A page of the list is larger than the connection allows.');
  // Decoding would put replacement characters into names and links.
  if (!isUtf8(body)) throw untrusted('ProtocolError', 'The page is not in UTF-8.');
  const json = parseJson(body.toString('utf8'));
  // Without the parser's error: it quotes the text, which may name people.
  if (json === undefined) throw untrusted('ProtocolError', 'The page is not JSON.');
  if (entriesOf(json) > room) throw untrusted('ListTooLarge', `The list has more than ${mostAlerts} alerts.`);
  const { value, problems } = decodeAlertPage(json);
  if (value !== undefined) return value;
  const detail = problems.map(({ path, message }) => `${path === '' ? 'the page' : path} ${message}`).join('; ');
  throw untrusted('ProtocolError', 'The page does not have the shape of a list of alerts.', detail);
}

/** The number of alerts in the page, before any is decoded. */
function entriesOf(json: unknown): number {
  return arrayOf(objectOf(json)['value']).length;
}

/**
 * When pages shift during the read, an alert appears twice, and another one may be missing; two entries of one name may
 * also disagree. The specification guarantees neither an order nor a snapshot, so such a list fails and is read again.
 */
function refuseRepeatedNames(alerts: readonly Alert[]): void {
  const names = new Set<string>();
  for (const { name } of alerts) names.add(canonicalName(name));
  if (names.size < alerts.length) throw untrusted('ProtocolError', 'The list contains an alert twice.');
}

function untrusted(reason: string, message: string, detail?: string): AlertsError {
  return new AlertsError('service-protocol', message, { reason, detail });
}

const longestLink = 8192;

/**
 * Path and query of the next page. The nextLink comes from outside and the request to it carries the token, so it must stay on the
 * service's origin and under the path of the list. `currentTarget` is the path and query of the current page, `listPath` the path of the
 * first page. Adds the API version when the link omits it (section 9 requires it on every request). Throws
 * `AlertsError` `service-protocol`, reason `UnsafeNextLink`, for every other link.
 */
export function nextTarget(endpoint: Endpoint, currentTarget: string, listPath: string, nextLink: string): string {
  const url = nextLink.length <= longestLink ? URL.parse(nextLink, `${endpoint.origin}${currentTarget}`) : null;
  if (url === null) throw unsafe('The nextLink is not a URL.');
  if (url.origin !== endpoint.origin) throw unsafe('The nextLink has another origin than the service.');
  if (url.username !== '' || url.password !== '') throw unsafe('The nextLink contains a user name or password.');
  if (!isUnder(url.pathname, listPath)) throw unsafe('The nextLink leaves the path of the list.');
  if (url.searchParams.has('api-version')) return `${url.pathname}${url.search}`;
  const version = versionQuery(endpoint);
  return `${url.pathname}${url.search.length > 1 ? `${url.search}&${version.slice(1)}` : version}`;
}

/**
 * Compares decoded paths, ignoring case, because services differ in what they encode. Rejects encoded slashes and dots,
 * which allow path traversal.
 */
function isUnder(path: string, listPath: string): boolean {
  if (/%2f|%5c|%2e/i.test(path)) return false;
  const wanted = comparable(listPath);
  const given = comparable(path);
  if (wanted === undefined || given === undefined) return false;
  return given === wanted || given.startsWith(`${wanted}/`);
}

function comparable(path: string): string | undefined {
  try {
    return decodeURIComponent(path).toLowerCase();
  } catch {
    return undefined;
  }
}

function unsafe(message: string): AlertsError {
  return new AlertsError('service-protocol', message, { reason: 'UnsafeNextLink' });
}
