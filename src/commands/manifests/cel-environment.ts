// The CEL environment of Kubernetes as far as the rules of our CRDs use it: the library's standard functions, and those that
// Kubernetes adds (https://kubernetes.io/docs/reference/using-api/cel/).
import { isIPv6 } from 'node:net';

import { Environment, Optional } from '@marcbachmann/cel-js';

/** A value that CEL evaluates: integers are `bigint`. */
export type CelValue = unknown;

/** A compiled expression over `self`, and `oldSelf` of an update. Throws where CEL reports an error. */
export type CelProgram = (self: CelValue, oldSelf?: CelValue) => CelValue;

/** A format of the library `format`, which returns what is wrong with a text. */
class NamedFormat {
  readonly isValid: (text: string) => boolean;

  constructor(isValid: (text: string) => boolean) {
    this.isValid = isValid;
  }
}

/** `format` in CEL, whose members name formats. */
class Formats {
  readonly datetime = new NamedFormat(isDateTime);
}

class UrlValue {
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    this.url = url;
  }
}

/** Compiles expressions, each text once. Throws for an expression that it cannot parse. */
export function newCelCompiler(): (expression: string) => CelProgram {
  const environment = kubernetesEnvironment();
  const programs = new Map<string, CelProgram>();
  return (expression) => {
    let program = programs.get(expression);
    if (!program) {
      const parsed = environment.parse(withRe2(expression));
      program = (self, oldSelf) => parsed({ self, oldSelf });
      programs.set(expression, program);
    }
    return program;
  };
}

/** The library's `matches` has no Unicode classes, and a registered function cannot replace it. */
function withRe2(expression: string): string {
  return expression.replaceAll('.matches(', '.matchesRe2(');
}

function kubernetesEnvironment(): Environment {
  const environment = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true });
  registerTexts(environment);
  registerLists(environment);
  registerUrls(environment);
  registerFormats(environment);
  return environment;
}

function registerTexts(environment: Environment): void {
  environment
    .registerFunction('string.matchesRe2(string): bool', (text: string, pattern: string) => re2(pattern).test(text))
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => re2(pattern).exec(text)?.[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => [
      ...(text.match(re2(pattern, 'g')) ?? []),
    ])
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      text.split(from).join(to),
    );
}

/**
 * The patterns of the CRDs mean the same in RE2 and, with Unicode, in JavaScript, apart from `(?i)` at the beginning; a test runs the
 * cases of every rule.
 */
function re2(pattern: string, flags = ''): RegExp {
  const isCaseless = pattern.startsWith('(?i)');
  return new RegExp(isCaseless ? pattern.slice(4) : pattern, `u${isCaseless ? 'i' : ''}${flags}`);
}

function registerLists(environment: Environment): void {
  environment
    .registerFunction('list<dyn>.indexOf(dyn): int', (list: unknown[], item: unknown) => BigInt(list.indexOf(item)))
    .registerFunction('list<dyn>.lastIndexOf(dyn): int', (list: unknown[], item: unknown) =>
      BigInt(list.lastIndexOf(item)),
    );
}

function registerUrls(environment: Environment): void {
  environment
    .registerType('kubernetes.URL', { ctor: UrlValue, fields: {} })
    .registerFunction('isURL(string): bool', (text: string) => parseGoUrl(text) !== undefined)
    .registerFunction('url(string): kubernetes.URL', (text: string) => {
      const url = parseGoUrl(text);
      if (!url) throw new Error(`${text} is not a URL`);
      return new UrlValue(url);
    })
    .registerFunction('kubernetes.URL.getScheme(): string', ({ url }: UrlValue) => url.scheme)
    .registerFunction('kubernetes.URL.getHostname(): string', ({ url }: UrlValue) => url.hostname);
}

function registerFormats(environment: Environment): void {
  environment
    .registerType('kubernetes.NamedFormat', { ctor: NamedFormat, fields: {} })
    .registerType('kubernetes.Formats', { ctor: Formats, fields: {} })
    .registerConstant('format', 'kubernetes.Formats', new Formats())
    .registerFunction('kubernetes.Formats.datetime(): kubernetes.NamedFormat', ({ datetime }: Formats) => datetime)
    .registerFunction(
      'kubernetes.NamedFormat.validate(string): optional<list<string>>',
      (format: NamedFormat, text: string) =>
        format.isValid(text) ? Optional.none() : Optional.of([`${text} does not fit the format`]),
    );
}

/** RFC 3339, on a day that exists. */
function isDateTime(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)[Tt ]\d\d:\d\d:\d\d/.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

interface GoUrl {
  /** In lower case; empty for a path. */
  readonly scheme: string;
  /** Without port and without the brackets of an IPv6 address. */
  readonly hostname: string;
}

/**
 * As Go's url.ParseRequestURI, which isURL() and url() of Kubernetes' CEL call: `URL` of JavaScript would mend what Go refuses. Undefined when
 * Go refuses the text.
 */
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
