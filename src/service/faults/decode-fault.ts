// The shape of the fault of a rule: the member of `fault` is its name, the value its parameters. Every number has a bound, so that no
// script can exhaust the process.
import { isString } from '../../lib/json-shape.ts';
import { anyText, checked, like, object, oneOf, refine, text, whole, type ValueShape } from '../config-files/shape.ts';
import { malformations, type Fault, type FaultName, type RetryAfter } from './fault.ts';

const mostBytes = 1_073_741_824;

/** The process writes a piece at once. */
const mostPieceBytes = 65_536;

const longestText = 2048;

export const shortText = checked(text, (value) =>
  value.length > longestText ? `must be up to ${longestText} characters` : undefined,
);

const delay = whole(0, 600_000);

const latency = refine(object({}, { ms: delay, minMs: delay, maxMs: delay }), (given, note) => {
  const { ms, minMs = ms, maxMs = ms } = given;
  const isOneForm = Object.keys(given).length === (ms === undefined ? 2 : 1);
  if (minMs === undefined || maxMs === undefined || !isOneForm) note('must have either ms, or minMs and maxMs');
  else if (minMs > maxMs) note('must not be above maxMs', 'minMs');
  else return { kind: 'latency' as const, minMs, maxMs };
  return undefined;
});

const headerText = checked(anyText, (value) =>
  /^[\x20-\x7e]{0,1000}$/.test(value) ? undefined : 'must be up to 1000 printable ASCII characters',
);
const date = object({ inSeconds: whole(-1_000_000_000, 1_000_000_000) }, {});

/** A number is sent as written, even an invalid one, because that is a purpose of the fault. */
const retryAfter: ValueShape<RetryAfter> = (value, ...place) => {
  if (typeof value === 'number' && Number.isFinite(value)) return { text: String(value) };
  return isString(value) ? refine(headerText, (header) => ({ text: header }))(value, ...place) : date(value, ...place);
};

/** Of a fault without parameters. */
function alone<Kind extends FaultName>(kind: Kind) {
  const only = like((value): value is true => value === true, 'must be true; to inject no fault, remove the rule');
  return refine(only, () => ({ kind }));
}

const kinds = {
  latency,
  status: refine(whole(200, 599), (status) => ({ kind: 'status', status })),
  cut: refine(object({ afterBytes: whole(-1, mostBytes) }, {}), (given) => ({ kind: 'cut', ...given })),
  slow: refine(object({ pieceBytes: whole(1, mostPieceBytes), everyMs: delay }, {}), (given) => ({
    kind: 'slow',
    ...given,
  })),
  huge: refine(object({ bytes: whole(1, mostBytes) }, {}), (given) => ({ kind: 'huge', ...given })),
  malformed: refine(oneOf(malformations), (how) => ({ kind: 'malformed', how })),
  pageLoop: alone('pageLoop'),
  foreignNextLink: refine(shortText, (link) => ({ kind: 'foreignNextLink', link })),
  ignoreUpdate: alone('ignoreUpdate'),
  loseRequest: alone('loseRequest'),
  loseReply: alone('loseReply'),
  reRaise: refine(object({ afterMs: whole(0, 86_400_000) }, {}), (given) => ({ kind: 'reRaise', ...given })),
  expireToken: alone('expireToken'),
} satisfies Readonly<Record<FaultName, ValueShape<Fault>>>;

export const fault: ValueShape<Fault> = refine(
  object({}, { ...kinds, code: shortText, retryAfter }),
  ({ code, retryAfter, ...named }, note) => {
    const [fault, ...others] = Object.values(named);
    const beside = { ...(code !== undefined && { code }), ...(retryAfter && { retryAfter }) };
    if (!fault || others.length > 0) note(`must name exactly one of ${Object.keys(kinds).join(', ')}`);
    else if (fault.kind === 'status') return { ...fault, ...beside };
    else for (const name of Object.keys(beside)) note('is only allowed with status', name);
    return fault;
  },
);
