// The functions isURL() and url() of Kubernetes' CEL, which parse a URL as Go's url.ParseRequestURI does. `URL` of JavaScript
// would mend what Go refuses.
import { isIPv6 } from 'node:net';

export interface GoUrl {
  /** In lower case; empty for a path. */
  readonly scheme: string;
  /** Without port and without the brackets of an IPv6 address. */
  readonly hostname: string;
}

/** Undefined when Go refuses the text. */
export function parseGoUrl(text: string): GoUrl | undefined {
  if (text === '' || text.startsWith(':') || /[\0-\x1f\x7f]/.test(text)) return undefined;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? '';
  const [rest = ''] = (scheme === '' ? text : text.slice(scheme.length + 1)).split('?');
  const noHost = { scheme: scheme.toLowerCase(), hostname: '' };
  // `mailto:a` has an opaque part instead of an authority and a path.
  if (!rest.startsWith('/')) return scheme !== '' || text === '*' ? noHost : undefined;
  if (scheme !== '' && rest.startsWith('//')) return withAuthority(noHost.scheme, rest.slice(2));
  return hasValidEscapes(rest) ? noHost : undefined;
}

function withAuthority(scheme: string, rest: string): GoUrl | undefined {
  const slash = rest.indexOf('/');
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const path = slash < 0 ? '' : rest.slice(slash);
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? '' : authority.slice(0, at);
  if (!hasValidEscapes(path) || !hasValidEscapes(user) || !/^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/.test(user))
    return undefined;
  const hostname = hostnameOf(authority.slice(at + 1));
  return hostname === undefined ? undefined : { scheme, hostname };
}

function hostnameOf(host: string): string | undefined {
  const bracketed = /^\[([^[\]]*)\](?::[0-9]*)?$/.exec(host)?.[1];
  if (bracketed !== undefined) return isIPv6(bracketed.replace('%25', '%')) ? bracketed : undefined;
  const name = /^([^:[\]]*)(?::[0-9]*)?$/.exec(host)?.[1];
  if (name === undefined || !hasValidEscapes(name)) return undefined;
  // In a host Go allows escapes only for bytes that are not ASCII.
  return /%[0-7]/.test(name) || /[^\x80-\uffff\w.~!$&'()*+,;=<>"%-]/.test(name) ? undefined : name;
}

/** True when two hexadecimal digits follow every percent sign. */
function hasValidEscapes(text: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(text);
}
