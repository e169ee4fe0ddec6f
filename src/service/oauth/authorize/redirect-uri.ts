// Checks redirect URIs: a token may be sent only to a registered URI, by exact match (RFC 9700 section 4.1.3), except that a loopback
// URI may have any port (RFC 8252 section 7.3).

/** The problem of a URI that cannot be registered; undefined for a valid one. */
export function redirectURIProblem(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (!url) return 'is not an absolute URI';
  // The URI becomes a header value unchanged.
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'must be written in ASCII, without spaces and line ends';
  if (uri.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name';
  if (url.protocol === 'https:' || loopbackParts(uri)) return undefined;
  return 'must be https, or http on 127.0.0.1, [::1] or localhost';
}

/** True when a token may go to `given`. */
export function isRegisteredURI(registered: readonly string[], given: string): boolean {
  if (registered.includes(given)) return redirectURIProblem(given) === undefined;
  const wanted = loopbackParts(given);
  if (!wanted) return false;
  return registered.some((uri) => {
    const known = loopbackParts(uri);
    return known !== undefined && known.host === wanted.host && known.rest === wanted.rest;
  });
}

/** Parses the text itself, because a URL parser would normalise it and break the exact match. */
function loopbackParts(uri: string): { host: string; rest: string } | undefined {
  const match = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([0-9]{1,5}))?((?:[/?][\x21\x24-\x7e]*)?)$/.exec(uri);
  const [, host, port = '80', rest] = match ?? [];
  if (host === undefined || rest === undefined || Number(port) > 65_535) return undefined;
  return { host, rest };
}
