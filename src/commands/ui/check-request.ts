// Which requests the page of `rolealerts ui` answers: those of the browser that opened it. Any page of the web can send requests to
// loopback, under a name that its DNS resolves to 127.0.0.1, too.
import type { IncomingHttpHeaders } from 'node:http';

export interface CheckedRequest {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export interface RefusedRequest {
  readonly status: number;
  /** A sentence with the fix. */
  readonly message: string;
}

/** Undefined when the request comes from a page of this server, or from the address line. */
export function refusalOf({ method, headers }: CheckedRequest, port: number): RefusedRequest | undefined {
  const hosts = loopbackHosts.map((host) => (port === defaultPort ? host : `${host}:${port}`));
  if (headers.host === undefined || !hosts.includes(headers.host.toLowerCase())) {
    return refused(`This page answers only as ${hosts.join(' or ')}. Open the address that rolealerts ui printed.`);
  }
  if (headers.origin !== undefined && headers.origin.toLowerCase() !== `http://${headers.host.toLowerCase()}`) {
    return refused('This page answers no requests of other pages. Open it in a window of its own.');
  }
  const site = headers['sec-fetch-site'];
  if ((site === 'cross-site' || site === 'same-site') && headers['sec-fetch-mode'] !== 'navigate') {
    return refused('This page answers no requests of other pages. Open it in a window of its own.');
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, message: 'This page only shows the fleet: it answers GET and HEAD.' };
  }
  return undefined;
}

/** Another port of this machine has its own cookies only by their name. */
export function cookieName(port: number): string {
  return `rolealerts-ui-${port}`;
}

/** Undefined without the cookie. */
export function cookieOf({ headers }: CheckedRequest, port: number): string | undefined {
  const start = `${cookieName(port)}=`;
  const cookies = (headers.cookie ?? '').split(';').map((text) => text.trim());
  return cookies.find((text) => text.startsWith(start))?.slice(start.length);
}

/** That of http, which browsers leave out of Host and Origin. */
const defaultPort = 80;

const loopbackHosts = ['127.0.0.1', 'localhost', '[::1]'] as const;

const refused = (message: string): RefusedRequest => ({ status: 403, message });
