// The CEL rules of crds/, evaluated without CEL: rules that only match a pattern or bound a duration are read from their text, and the
// others are implemented by hand. An unknown rule counts as satisfied, which the cases of its CRD then reveal
// (test/contract/simulated-rules.test.ts).
import { parseDuration } from '../../../src/lib/duration.ts';
import { isSameJson } from '../../../src/lib/json-shape.ts';
import type { Json } from './spec-rules.ts';

/** Whether a value satisfies the rule. `before` is undefined when there was none. */
export type Check = (self: unknown, before: unknown) => boolean;

export function checkOf(rule: string): Check {
  return patternCheck(rule) ?? durationCheck(rule) ?? byHand[rule.trim()] ?? (() => true);
}

const text = String.raw`'((?:[^'\\]|\\.)*)'`;
const patternRule = new RegExp(String.raw`^(!?)self\.matches\(${text}\)$`);
const durationRule = new RegExp(
  String.raw`^self\.matches\(${text}\) && duration\(self\) >= duration\(${text}\) && duration\(self\) <= duration\(${text}\)$`,
);

function patternCheck(rule: string): Check | undefined {
  const [, not, body] = patternRule.exec(rule) ?? [];
  if (body === undefined) return undefined;
  const pattern = patternOf(body);
  return (self) => pattern.test(String(self)) === (not === '');
}

function durationCheck(rule: string): Check | undefined {
  const [, body, least = '', most = ''] = durationRule.exec(rule) ?? [];
  if (body === undefined) return undefined;
  const pattern = patternOf(body);
  const leastMs = parseDuration(least) ?? 0;
  const mostMs = parseDuration(most) ?? 0;
  return (self) => {
    const ms = pattern.test(String(self)) ? parseDuration(String(self)) : undefined;
    return ms !== undefined && ms >= leastMs && ms <= mostMs;
  };
}

/** From a CEL string, in which a backslash is written twice. */
function patternOf(body: string): RegExp {
  return new RegExp(body.replaceAll(/\\(.)/g, '$1'), 'u');
}

const untilRule = String.raw`self.matches('^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3])(:[0-5][0-9]){2}([.][0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$') && !format.datetime().validate(self).hasValue() && timestamp(self) >= timestamp('2000-01-01T00:00:00Z')`;
const urlRule = String.raw`isURL(self) && url(self).getScheme() in ['https', 'http'] && url(self).getHostname() != '' && self.matches('^[!-~]*$') && !self.contains('\\')`;
const baseURLRule = String.raw`isURL(self) && url(self).getScheme() in ['https', 'http'] && url(self).getHostname() != '' && self.matches('^[!-~]*$') && !self.matches('^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*@|[?#\\\\]|/providers/[^/]+/[rR]oleManagementAlert')`;

const scopeRule = String.raw`self == self.trim() && self.matches('^[A-Za-z0-9._()~ -]+(/[A-Za-z0-9._()~ -]+)*$') && !self.matches('(^|/)[.][.]?(/|$)') && !self.matches('/providers/[^/]+/[rR]oleManagementAlert')`;

function isScope(scope: string): boolean {
  const isPath = /^[A-Za-z0-9._()~ -]+(\/[A-Za-z0-9._()~ -]+)*$/.test(scope) && scope === scope.trim();
  return isPath && !/(^|\/)[.][.]?(\/|$)/.test(scope) && !/\/providers\/[^/]+\/[rR]oleManagementAlert/.test(scope);
}

const scheduleRule = String.raw`self.matches('(?i)^(([*](/([1-9]|[1-5][0-9]))?|[0-5]?[0-9](-[0-5]?[0-9](/([1-9]|[1-5][0-9]))?)?),)*([*](/([1-9]|[1-5][0-9]))?|[0-5]?[0-9](-[0-5]?[0-9](/([1-9]|[1-5][0-9]))?)?) [^ ]+ [^ ]+ [^ ]+ [^ ]+$') && self.matches('(?i)^[^ ]+ (([*](/([1-9]|1[0-9]|2[0-3]))?|([01]?[0-9]|2[0-3])(-([01]?[0-9]|2[0-3])(/([1-9]|1[0-9]|2[0-3]))?)?),)*([*](/([1-9]|1[0-9]|2[0-3]))?|([01]?[0-9]|2[0-3])(-([01]?[0-9]|2[0-3])(/([1-9]|1[0-9]|2[0-3]))?)?) [^ ]+ [^ ]+ [^ ]+$') && self.matches('(?i)^[^ ]+ [^ ]+ (([*](/([1-9]|[12][0-9]|3[01]))?|(0?[1-9]|[12][0-9]|3[01])(-(0?[1-9]|[12][0-9]|3[01])(/([1-9]|[12][0-9]|3[01]))?)?|L),)*([*](/([1-9]|[12][0-9]|3[01]))?|(0?[1-9]|[12][0-9]|3[01])(-(0?[1-9]|[12][0-9]|3[01])(/([1-9]|[12][0-9]|3[01]))?)?|L) [^ ]+ [^ ]+$') && self.matches('(?i)^[^ ]+ [^ ]+ [^ ]+ (([*](/([1-9]|1[0-2]))?|(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(-(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(/([1-9]|1[0-2]))?)?),)*([*](/([1-9]|1[0-2]))?|(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(-(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)(/([1-9]|1[0-2]))?)?) [^ ]+$') && self.matches('(?i)^[^ ]+ [^ ]+ [^ ]+ [^ ]+ (([*](/([1-7]))?|([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(-([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(/([1-7]))?)?),)*([*](/([1-7]))?|([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(-([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(/([1-7]))?)?)$') && self.findAll('[0-9]+-[0-9]+').all(range, int(range.split('-')[0]) <= int(range.split('-')[1])) && self.upperAscii().findAll('[A-Z]+-[A-Z]+').all(range, range != 'SUN-SUN' && (range.endsWith('-SUN') || 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC SUN MON TUE WED THU FRI SAT'.indexOf(range.split('-')[0]) <= 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC SUN MON TUE WED THU FRI SAT'.indexOf(range.split('-')[1]))) && !self.matches('(?i) 3[01] (0?2|FEB) [*]$| 31 (0?[469]|11|APR|JUN|SEP|NOV) [*]$')`;
const timeZoneRule = String.raw`self.matches('^[A-Z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$') && self != 'Local' && timestamp('2000-01-01T00:00:00Z').getHours(self) >= 0`;

interface Spec {
  readonly alerts?: readonly unknown[];
  readonly unlisted?: { readonly state?: string };
}

const endpointRule = `!has(oldSelf.status) || !has(oldSelf.status.dismissals) || oldSelf.status.dismissals.size() == 0 || (self.spec.endpoint.baseURL == oldSelf.spec.endpoint.baseURL && self.spec.endpoint.providerNamespace == oldSelf.spec.endpoint.providerNamespace)`;

const has = (self: unknown, member: string) => (self as Json)[member] !== undefined;

const byHand: Readonly<Record<string, Check>> = {
  'self == oldSelf': (self, before) => before === undefined || isSameJson(self, before),
  [scopeRule]: (self) => isScope(String(self)),
  "(has(self.alerts) && self.alerts.size() > 0) || self.unlisted.state == 'Active'": (self) =>
    ((self as Spec).alerts ?? []).length > 0 || (self as Spec).unlisted?.state === 'Active',
  "!self.contains('#')": (self) => !String(self).includes('#'),
  "self.matches('^[A-Za-z0-9._()~-]+$') && self != '.' && self != '..'": (self) =>
    /^[A-Za-z0-9._()~-]+$/.test(String(self)) && self !== '.' && self !== '..',
  '[self.map(a, a.name.lowerAscii())].all(names, names.all(name, names.indexOf(name) == names.lastIndexOf(name)))': (
    self,
  ) => {
    const names = (self as readonly Json[]).map(({ name }) => String(name).toLowerCase());
    return new Set(names).size === names.length;
  },
  "self.state != 'Inactive' || has(self.dismissal)": (self) =>
    (self as Json)['state'] !== 'Inactive' || has(self, 'dismissal'),
  "self.state == 'Inactive' || !has(self.dismissal)": (self) =>
    (self as Json)['state'] === 'Inactive' || !has(self, 'dismissal'),
  '!(has(self.incidents) && has(self.maxIncidents))': (self) => !(has(self, 'incidents') && has(self, 'maxIncidents')),
  'has(self.incidents) || has(self.until)': (self) => has(self, 'incidents') || has(self, 'until'),
  'has(self.clientCredentials) || has(self.federated) || has(self.tokenSecretRef)': (self) =>
    has(self, 'clientCredentials') || has(self, 'federated') || has(self, 'tokenSecretRef'),
  '!(has(self.federated) && (has(self.clientCredentials) || has(self.tokenSecretRef)))': (self) =>
    !(has(self, 'federated') && (has(self, 'clientCredentials') || has(self, 'tokenSecretRef'))),
  '!(has(self.clientCredentials) && has(self.tokenSecretRef))': (self) =>
    !(has(self, 'clientCredentials') && has(self, 'tokenSecretRef')),
  "self.all(key, self[key].matches('^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$'))": (self) =>
    Object.values(self as Json).every((value) => /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/.test(String(value))),
  "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)": (self) => {
    const { operator, values } = self as { operator?: string; values?: readonly unknown[] };
    return (operator === 'In' || operator === 'NotIn') === (values ?? []).length > 0;
  },
  '!has(self.suspendUntil) || self.suspend': (self) => !has(self, 'suspendUntil') || (self as Json)['suspend'] === true,
  [endpointRule]: keepsEndpoint,
  [scheduleRule]: (self) => isSchedule(String(self)),
  [timeZoneRule]: (self) => isTimeZone(String(self)),
  [untilRule]: (self) => isMoment(String(self)) && Date.parse(String(self)) >= Date.UTC(2000, 0, 1),
  [urlRule]: (self) => isAbsoluteURL(String(self)),
  [baseURLRule]: (self) =>
    isAbsoluteURL(String(self)) &&
    !/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*@|[?#]|\/providers\/[^/]+\/[rR]oleManagementAlert/.test(String(self)),
};

function isAbsoluteURL(value: string): boolean {
  return /^https?:[/][/][^/?#]+/i.test(value) && /^[!-[\]-~]*$/.test(value) && URL.canParse(value);
}

interface Connection {
  readonly spec: { readonly endpoint: { readonly baseURL: string; readonly providerNamespace: string } };
  readonly status?: { readonly dismissals?: readonly unknown[] };
}

function keepsEndpoint(self: unknown, before: unknown): boolean {
  const old = before as Connection | undefined;
  if (!old?.status?.dismissals?.length) return true;
  const [now, then] = [(self as Connection).spec.endpoint, old.spec.endpoint];
  return now.baseURL === then.baseURL && now.providerNamespace === then.providerNamespace;
}

const scheduleForm =
  /^[0-9*,/-]+ [0-9*,/-]+ [0-9*,/L-]+ (?:[0-9*,/-]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)+ (?:[0-9*,/-]|SUN|MON|TUE|WED|THU|FRI|SAT)+$/;
const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const months = ['', 'JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const lowest = [0, 0, 1, 1, 0];
const highest = [59, 23, 31, 12, 7];

function isSchedule(value: string): boolean {
  const upper = value.toUpperCase();
  if (!scheduleForm.test(upper) || upper.includes('SUN-SUN')) return false;
  const numbered = upper
    .replaceAll('-SUN', '-7')
    .replaceAll(/[A-Z]{3}/g, (name) => String(Math.max(days.indexOf(name), months.indexOf(name))));
  const fields = numbered.split(' ').map((field) => field.split(','));
  return fields.every((parts, field) => parts.every((part) => isPart(part, field))) && hasDate(fields);
}

function isPart(part: string, field: number): boolean {
  if (part === 'L') return field === 2;
  const match = /^(?:[*]|(\d{1,2})(?:-(\d{1,2}))?)(?:[/]([1-9]\d?))?$/.exec(part);
  if (!match) return false;
  const [, first, last, step] = match;
  const isStepped = first === undefined || last !== undefined;
  const [least = 0, most = 0] = [lowest[field], highest[field]];
  const from = Number(first ?? least);
  const to = Number(last ?? first ?? most);
  return from >= least && from <= to && to <= most && (step === undefined || (isStepped && Number(step) <= most));
}

/** Some month has some of the days, as far as the months are no range. */
function hasDate([, , daysOfMonth = [], monthsOfYear = [], daysOfWeek = []]: readonly (readonly string[])[]): boolean {
  if (daysOfWeek.join(',') !== '*' || /[*L]/.test(daysOfMonth.join(',')) || /[*-]/.test(monthsOfYear.join(',')))
    return true;
  const longest = Math.max(...monthsOfYear.map((month) => new Date(Date.UTC(2028, Number(month), 0)).getUTCDate()));
  return daysOfMonth.some((day) => Number.parseInt(day, 10) <= longest);
}

/** Go's names of time zones, unlike those of Node, are case-sensitive. */
function isTimeZone(value: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+-]*([/][A-Za-z0-9_+-]+)*$/.test(value) || value === 'Local') return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const momentForm =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}([.]\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Rejects a day that its month does not have. */
function isMoment(value: string): boolean {
  const [, year, month, day] = momentForm.exec(value) ?? [];
  return day !== undefined && Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}
