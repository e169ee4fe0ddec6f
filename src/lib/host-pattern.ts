// Patterns of host names, compared with hosts in the spelling that a URL gives them: lower case, punycode, IPv6 in brackets.
import { isIP } from 'node:net';

const below = '*.';

/**
 * The pattern `host` or `*.suffix` in its canonical spelling; undefined for any other text, also one with a scheme, a port or a path.
 * `*.suffix` covers every name below the suffix, and not for the suffix itself.
 */
export function parseHostPattern(text: string): string | undefined {
  if (!text.startsWith(below)) return parseHost(text);
  const suffix = parseHost(text.slice(below.length));
  return suffix === undefined || isAddress(suffix) ? undefined : `${below}${suffix}`;
}

/** True when a pattern covers the host of the URL, whatever its port. No patterns cover every host. */
export function isHostAllowed(patterns: readonly string[], url: URL): boolean {
  const host = withoutRootDot(url.hostname);
  return patterns.length === 0 || patterns.some((pattern) => covers(pattern, host));
}

function covers(pattern: string, host: string): boolean {
  if (!pattern.startsWith(below)) return host === pattern;
  const suffix = pattern.slice(1);
  return host.length > suffix.length && host.endsWith(suffix);
}

function parseHost(text: string): string | undefined {
  const bracketed = isIP(text) === 6 ? `[${text}]` : text;
  if (!/^(?:\[[0-9a-f:.]+\]|[^\s/?#@:\\%*[\]]+)$/i.test(bracketed)) return undefined;
  const url = URL.parse(`https://${bracketed}/`);
  return url === null ? undefined : withoutRootDot(url.hostname);
}

/** `h.example.` and `h.example` are the same name. */
function withoutRootDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

function isAddress(host: string): boolean {
  return isIP(host) !== 0 || host.startsWith('[');
}
