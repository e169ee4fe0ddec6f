// Reads all pages of one list, or fails. A partial list is an error, because a missing entry would mean "no such alert":
// a bad page, a loop of nextLinks and an exceeded limit all fail the list.
import { isUtf8 } from 'node:buffer';

import { AlertsError } from '../../alerts/alerts-error.ts';
import { decodeAlertPage, type AlertPage } from '../../alerts/decode.ts';
import { canonicalName } from '../../alerts/resource-id.ts';
import type { Alert, AlertList } from '../../alerts/types.ts';
import { arrayOf, objectOf, parseJson } from '../../lib/json-shape.ts';
import type { Endpoint } from './endpoint.ts';
import type { HttpResponse } from './http-call.ts';
import { nextTarget } from './next-link.ts';

export interface PagesOptions {
  readonly endpoint: Endpoint;
  readonly listPath: string;
  /** Path and query of the first page. */
  readonly firstTarget: string;
  readonly maxPages: number;
  /** Receives each valid page as it was sent. */
  readonly onPage?: ((page: unknown) => void) | undefined;
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
  onPage,
  readPage,
}: PagesOptions): Promise<AlertList> {
  const alerts: Alert[] = [];
  const seen = new Set<string>();
  let target: string | undefined = firstTarget;
  while (target !== undefined) {
    if (seen.has(target)) throw untrusted('ProtocolError', 'The nextLinks of the list form a loop.');
    if (seen.size >= maxPages) throw untrusted('ListTooLarge', 'The list has more pages than the connection allows.');
    seen.add(target);
    const page = decodePage(await readPage(target), mostAlerts - alerts.length, onPage);
    for (const alert of page.alerts) alerts.push(alert);
    target = page.nextLink === undefined ? undefined : nextTarget(endpoint, target, listPath, page.nextLink);
  }
  refuseRepeatedNames(alerts);
  return { alerts, pages: seen.size };
}

/** `room`: the number of alerts that the page may still have. */
function decodePage({ body, unread }: HttpResponse, room: number, onPage: PagesOptions['onPage']): AlertPage {
  if (unread === 'Encoded') throw untrusted('ProtocolError', 'The page has a content encoding that was not requested.');
  if (body === undefined) throw untrusted('ListTooLarge', 'A page of the list is larger than the connection allows.');
  // Decoding would put replacement characters into names and links.
  if (!isUtf8(body)) throw untrusted('ProtocolError', 'The page is not in UTF-8.');
  const json = parseJson(body.toString('utf8'));
  // Without the parser's error: it quotes the text, which may name people.
  if (json === undefined) throw untrusted('ProtocolError', 'The page is not JSON.');
  if (entriesOf(json) > room) throw untrusted('ListTooLarge', `The list has more than ${mostAlerts} alerts.`);
  const { value, problems } = decodeAlertPage(json);
  if (value !== undefined) {
    onPage?.(json);
    return value;
  }
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
