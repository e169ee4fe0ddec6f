// The way to one URL of a connection, step by step: name resolution, TLS and its certificates, and an HTTP response, whose Date shows
// how far the clocks differ: tokens and certificates are valid between two times. Sends no credential.
import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';

import { type Clock, within } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { portOf, type Proxies, type Proxy, proxyFor } from '../../lib/proxy.ts';
import { isPublicAddress } from '../../operator/alert-client/endpoint.ts';
import { networkFailure } from '../../operator/alert-client/http-call.ts';
import { createAlertTransport, openTunnel } from '../../operator/alert-client/transport.ts';
import { type CheckOutcome, failed, notChecked, passed, stepDeadlineMs, warning } from './check.ts';

export interface Way {
  readonly url: URL;
  /** PEM; undefined: the public CAs. */
  readonly caBundle: string | undefined;
  readonly proxies: Proxies | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const bodyLimitBytes = 65_536;

/** Certificates that end sooner are a warning. */
const soonMs = 14 * 86_400_000;

const dayMs = 86_400_000;

export async function checkName({ url, proxies }: Way): Promise<CheckOutcome> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const proxy = proxies && proxyFor(proxies, url);
  if (proxy) return notChecked(`The proxy ${proxy.name} resolves ${host}.`);
  const addresses = (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);
  if (addresses.length === 0) return failed(`${host} cannot be resolved.`, 'Check the URL and the name servers.');
  const isName = isIP(host) === 0;
  const sentence = isName ? `${host} is ${addresses.slice(0, 4).join(', ')}.` : `${host} is an address, not a name.`;
  if (addresses.some(isPublicAddress)) return passed(sentence);
  return warning(
    isName ? `${sentence} No address is public.` : `${host} is not a public address.`,
    'The operator reaches private addresses only with --allow-private-endpoints.',
  );
}

/** Verified as the operator does, with its CA bundle. */
export async function checkTls(way: Way): Promise<CheckOutcome> {
  const { url, clock } = way;
  if (url.protocol !== 'https:') {
    return warning(
      `${url.origin} is not encrypted.`,
      'Use https: plain HTTP shows the token to every host on the way.',
    );
  }
  const opened = await within(clock, stepDeadlineMs, openTls(way));
  if (opened === 'late') return failed(`${url.host} does not complete TLS within ${stepDeadlineMs / 1000} s.`);
  const certificates = chainOf(opened.getPeerCertificate(true));
  opened.destroy();
  return chainOutcome(certificates, clock.now());
}

async function openTls(way: Way): Promise<TLSSocket> {
  const { url, caBundle, proxies, clock, signal } = way;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const proxy = proxies && proxyFor(proxies, url);
  const socket = proxy && (await openTunnel(proxy, url, { clock, timeoutMs: stepDeadlineMs, signal }));
  return verifiedSocket(host, portOf(url), { caBundle, socket, proxy });
}

interface Around {
  readonly caBundle: string | undefined;
  readonly socket: Socket | undefined;
  readonly proxy: Proxy | undefined;
}

/** Rejects with `AlertsError`, whose message is the one that the operator would show. */
function verifiedSocket(host: string, port: number, { caBundle, socket, proxy }: Around): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const opened = connectTls({
      host,
      port,
      // A server name must not be an address.
      ...(/[a-z]/i.test(host) && !host.includes(':') && { servername: host }),
      ...(socket && { socket }),
      ...(caBundle !== undefined && { ca: caBundle }),
      minVersion: 'TLSv1.2',
    });
    opened.setTimeout(stepDeadlineMs, () => opened.destroy());
    opened.once('secureConnect', () => resolve(opened));
    opened.on('error', (error) => reject(networkFailure(error, proxy?.name)));
  });
}

/** The server's certificate first. A root is its own issuer. */
function chainOf(first: PeerCertificate): readonly PeerCertificate[] {
  const chain: PeerCertificate[] = [];
  let next: PeerCertificate | undefined = first;
  while (next?.valid_to !== undefined && !chain.includes(next)) {
    chain.push(next);
    next = (next as PeerCertificate & { issuerCertificate?: PeerCertificate }).issuerCertificate;
  }
  return chain;
}

/** By the certificate of the chain that ends first. */
function chainOutcome(chain: readonly PeerCertificate[], nowMs: number): CheckOutcome {
  const ends = chain.map((each) => ({ endMs: Date.parse(each.valid_to), name: nameOf(each) }));
  const first = ends.toSorted((left, right) => left.endMs - right.endMs)[0];
  if (first === undefined) return failed('The server presents no certificate.');
  const days = Math.floor((first.endMs - nowMs) / dayMs);
  const sentence = `${chain.length} trusted certificates; that of ${first.name} ends first, in ${days} days.`;
  if (first.endMs - nowMs > soonMs) return passed(sentence);
  return warning(sentence, 'Renew it before it ends: the operator then reaches no alert of this connection.');
}

function nameOf({ subject }: PeerCertificate): string {
  const { CN, O } = subject ?? {};
  return String(CN ?? O ?? 'a server without a name');
}

/** Any status is an answer: the request has no credential. */
export async function checkResponse({ url, caBundle, proxies, clock, signal }: Way): Promise<CheckOutcome> {
  const transport = createAlertTransport({
    clock,
    requestTimeoutMs: stepDeadlineMs,
    maxConcurrent: 1,
    allowPrivateEndpoints: true,
    ...(caBundle !== undefined && { caBundle }),
    proxies,
  });
  try {
    const { origin, pathname } = url;
    const request = { origin, target: pathname, method: 'GET', headers: [], bodyLimitBytes, signal } as const;
    const { status, headers } = await transport.send(request);
    const what = `${url.host} answers a request without a credential with status ${status}`;
    if (status >= 500) return failed(`${what}.`, 'Ask the operator of that service.');
    return skewOutcome(what, headers['date'], clock.now());
  } catch (error) {
    return failed(messageOf(error), 'Check the URL, firewalls, and the CA bundle of the connection.');
  } finally {
    await transport.stop();
  }
}

const allowedSkewMs = 30_000;

/** `date`: the header of a response. `what`: the first half of the sentence. */
export function skewOutcome(what: string, date: unknown, nowMs: number): CheckOutcome {
  const serverMs = Date.parse(String(date));
  if (Number.isNaN(serverMs)) return passed(`${what}; its response has no date to compare clocks with.`);
  const skewMs = nowMs - serverMs;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  // A date has whole seconds, and the response took some time.
  if (Math.abs(skewMs) <= allowedSkewMs) return passed(`${what}; its clock agrees within ${Math.max(seconds, 1)} s.`);
  const direction = skewMs > 0 ? 'behind' : 'ahead of';
  return warning(
    `${what}; its clock is ${seconds} s ${direction} this machine's.`,
    'Synchronize both clocks: tokens may count as expired or not yet valid.',
  );
}
