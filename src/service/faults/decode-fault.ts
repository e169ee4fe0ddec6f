// Parses the fault of a rule: the member of `fault` is its name, the value its parameters. Every number has a bound, so that no
// script can exhaust the process.
import { isString } from '../../lib/json-shape.ts';
import { requireText, requireWhole, note, openMember, readText, type Fields } from '../config-files/fields.ts';
import { faultKinds } from './fault-kinds.ts';
import { malformations, type Fault, type FaultName, type RetryAfter } from './fault.ts';

const longestDelayMs = 600_000;
const longestReRaiseMs = 86_400_000;
const mostBytes = 1_073_741_824;

/** The process writes a piece at once. */
const mostPieceBytes = 65_536;

const longestText = 2048;

const names = Object.keys(faultKinds) as readonly FaultName[];
const besideStatus = ['code', 'retryAfter'];

/** Undefined for an invalid fault, which is noted as a problem. */
export function decodeFault(rule: Fields): Fault | undefined {
  const fault = openMember(rule, 'fault', [...names, ...besideStatus]);
  const [name, ...others] = names.filter((name) => fault.object[name] !== undefined);
  if (name === undefined || others.length > 0) {
    note(rule, 'fault', `must name exactly one of ${names.join(', ')}`);
    return undefined;
  }
  for (const beside of besideStatus) {
    if (name !== 'status' && fault.object[beside] !== undefined) note(fault, beside, 'is only allowed with status');
  }
  return decoders[name](fault);
}

type Decoder = (fault: Fields) => Fault | undefined;

const decoders: Readonly<Record<FaultName, Decoder>> = {
  latency: decodeLatency,
  status: decodeStatus,
  cut(fault) {
    const cut = openMember(fault, 'cut', ['afterBytes']);
    return { kind: 'cut', afterBytes: requireWhole(cut, 'afterBytes', mostBytes, -1) };
  },
  slow(fault) {
    const slow = openMember(fault, 'slow', ['pieceBytes', 'everyMs']);
    const pieceBytes = requireWhole(slow, 'pieceBytes', mostPieceBytes, 1);
    return { kind: 'slow', pieceBytes, everyMs: requireWhole(slow, 'everyMs', longestDelayMs) };
  },
  huge(fault) {
    const huge = openMember(fault, 'huge', ['bytes']);
    return { kind: 'huge', bytes: requireWhole(huge, 'bytes', mostBytes, 1) };
  },
  malformed(fault) {
    const how = malformations.find((known) => known === fault.object['malformed']);
    if (how === undefined) note(fault, 'malformed', `must be one of ${malformations.join(', ')}`);
    return how && { kind: 'malformed', how };
  },
  pageLoop: flag({ kind: 'pageLoop' }),
  foreignNextLink: (fault) => ({ kind: 'foreignNextLink', link: shortText(fault, 'foreignNextLink') }),
  ignoreUpdate: flag({ kind: 'ignoreUpdate' }),
  loseRequest: flag({ kind: 'loseRequest' }),
  loseReply: flag({ kind: 'loseReply' }),
  reRaise(fault) {
    const reRaise = openMember(fault, 'reRaise', ['afterMs']);
    return { kind: 'reRaise', afterMs: requireWhole(reRaise, 'afterMs', longestReRaiseMs) };
  },
  expireToken: flag({ kind: 'expireToken' }),
};

function flag(fault: Fault): Decoder {
  return (fields) => {
    if (fields.object[fault.kind] !== true)
      note(fields, fault.kind, 'must be true; to inject no fault, remove the rule');
    return fault;
  };
}

function decodeLatency(fault: Fields): Fault {
  const latency = openMember(fault, 'latency', ['ms', 'minMs', 'maxMs']);
  const { ms, minMs: least, maxMs: most } = latency.object;
  const read = (name: string) => requireWhole(latency, name, longestDelayMs);
  if (least === undefined && most === undefined) {
    const fixedMs = read('ms');
    return { kind: 'latency', minMs: fixedMs, maxMs: fixedMs };
  }
  if (ms !== undefined) note(latency, 'ms', 'must not be combined with minMs and maxMs');
  const [minMs, maxMs] = [read('minMs'), read('maxMs')];
  if (minMs > maxMs) note(latency, 'minMs', 'must not be above maxMs');
  return { kind: 'latency', minMs, maxMs };
}

function decodeStatus(fault: Fields): Fault {
  const retryAfter = decodeRetryAfter(fault);
  return {
    kind: 'status',
    status: requireWhole(fault, 'status', 599, 200),
    ...(fault.object['code'] !== undefined && { code: shortText(fault, 'code') }),
    ...(retryAfter && { retryAfter }),
  };
}

/** A number is sent as written, even an invalid one, because that is a purpose of the fault. */
function decodeRetryAfter(fault: Fields): RetryAfter | undefined {
  const value = fault.object['retryAfter'];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return { text: String(value) };
  if (isString(value)) {
    if (!/^[\x20-\x7e]{0,1000}$/.test(value))
      note(fault, 'retryAfter', 'must be up to 1000 printable ASCII characters');
    return { text: value };
  }
  const date = openMember(fault, 'retryAfter', ['inSeconds']);
  return { inSeconds: requireWhole(date, 'inSeconds', 1_000_000_000, -1_000_000_000) };
}

/** Notes an invalid text, and returns an empty one if it is absent. */
export function shortText(fields: Fields, name: string): string {
  const text = fields.object[name] === undefined ? requireText(fields, name) : (readText(fields, name) ?? '');
  if (text.length > longestText) note(fields, name, `must be up to ${longestText} characters`);
  return text;
}
