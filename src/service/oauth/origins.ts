// The origins of web pages that may read responses of the service (CORS). They are registered with a client; the origin of an https
// redirect URI is trusted as well, because its pages receive the tokens anyway.

/** The members of a client that origins follow from. */
interface PagesOfClient {
  readonly origins?: readonly string[];
  readonly redirectURIs?: readonly string[];
}

/** The problem of an origin that cannot be registered; undefined for a valid one. It must be written as browsers send it. */
export function originProblem(origin: string): string | undefined {
  const url = URL.parse(origin);
  if (url?.origin !== origin)
    return 'must be an origin like https://portal.example.net, in lower case and without a path';
  const isLoopback = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return undefined;
  return 'must be https, or http on 127.0.0.1, [::1] or localhost';
}

/**
 * Pages on a loopback port are not derived from a redirect URI: there it is valid for every port, and so for the pages of every program
 * of the machine.
 */
export function originsOf({ origins, redirectURIs = [] }: PagesOfClient): readonly string[] {
  if (origins) return origins;
  return redirectURIs.filter((uri) => uri.startsWith('https:')).map((uri) => new URL(uri).origin);
}
