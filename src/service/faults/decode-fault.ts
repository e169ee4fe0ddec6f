// The one fault of a rule: its name is the member that stands in `fault`, what it takes is the value. Every number has a
// bound, so that no script can ask for what the process cannot do.
import {
  memberOf,
  note,
  readChoice,
  readObject,
  readText,
  readTrue,
  readWhole,
  type Place,
} from './document-checks.ts';
import { faultKinds } from './fault-kinds.ts';
import { malformations, type Fault, type FaultName, type RetryAfter } from './fault.ts';

const longestDelayMs = 600_000;
const mostBytes = 1_073_741_824;

/** A piece is written at once. */
export const mostPieceBytes = 65_536;

const longestLink = 2048;

/** Undefined when it is none; then a problem says why. */
export function decodeFault(place: Place): Fault | undefined {
  const names = Object.keys(faultKinds) as readonly FaultName[];
  const besideStatus = ['code', 'retryAfter'];
  const given = readObject(place, [...names, ...besideStatus]);
  const [name, ...others] = names.filter((name) => Object.hasOwn(given, name));
  if (name === undefined || others.length > 0) {
    note(place, 'must name exactly one fault');
    return undefined;
  }
  for (const beside of besideStatus) {
    if (name !== 'status' && Object.hasOwn(given, beside)) note(memberOf(place, beside), 'only goes with status');
  }
  return decoders[name](memberOf(place, name), place);
}

type Decoder = (place: Place, fault: Place) => Fault | undefined;

const decoders: Readonly<Record<FaultName, Decoder>> = {
  latency: decodeLatency,
  status: (place, fault) => ({
    kind: 'status',
    status: readWhole(place, 200, 599),
    ...(isThere(fault, 'code') && { code: readText(memberOf(fault, 'code'), 100) }),
    ...(isThere(fault, 'retryAfter') && { retryAfter: decodeRetryAfter(memberOf(fault, 'retryAfter')) }),
  }),
  cut(place) {
    readObject(place, ['afterBytes']);
    return { kind: 'cut', afterBytes: readWhole(memberOf(place, 'afterBytes'), -1, mostBytes) };
  },
  slow(place) {
    readObject(place, ['pieceBytes', 'everyMs']);
    const pieceBytes = readWhole(memberOf(place, 'pieceBytes'), 1, mostPieceBytes);
    return { kind: 'slow', pieceBytes, everyMs: readWhole(memberOf(place, 'everyMs'), 0, longestDelayMs) };
  },
  huge(place) {
    readObject(place, ['bytes']);
    return { kind: 'huge', bytes: readWhole(memberOf(place, 'bytes'), 1, mostBytes) };
  },
  malformed(place) {
    const how = readChoice(place, malformations);
    return how && { kind: 'malformed', how };
  },
  pageLoop: flag({ kind: 'pageLoop' }),
  foreignNextLink: (place) => ({ kind: 'foreignNextLink', link: readText(place, longestLink) }),
  ignoreUpdate: flag({ kind: 'ignoreUpdate' }),
  loseRequest: flag({ kind: 'loseRequest' }),
  loseReply: flag({ kind: 'loseReply' }),
  reRaise(place) {
    readObject(place, ['afterMs']);
    return { kind: 'reRaise', afterMs: readWhole(memberOf(place, 'afterMs'), 0, 86_400_000) };
  },
  expireToken: flag({ kind: 'expireToken' }),
};

function flag(fault: Fault): Decoder {
  return (place) => {
    readTrue(place);
    return fault;
  };
}

function decodeLatency(place: Place): Fault {
  readObject(place, ['ms', 'minMs', 'maxMs']);
  const read = (name: string) => readWhole(memberOf(place, name), 0, longestDelayMs);
  if (!isThere(place, 'minMs') && !isThere(place, 'maxMs')) {
    const ms = read('ms');
    return { kind: 'latency', minMs: ms, maxMs: ms };
  }
  if (isThere(place, 'ms')) note(memberOf(place, 'ms'), 'does not go with minMs and maxMs');
  const [minMs, maxMs] = [read('minMs'), read('maxMs')];
  if (minMs > maxMs) note(memberOf(place, 'minMs'), 'must not be above maxMs');
  return { kind: 'latency', minMs, maxMs };
}

/** A number is sent as it is written, a wrong one too: that is what the fault is for. */
function decodeRetryAfter(place: Place): RetryAfter {
  const { value } = place;
  if (typeof value === 'number' && Number.isFinite(value)) return { text: String(value) };
  if (typeof value === 'string') {
    if (!/^[\x20-\x7e]{0,1000}$/.test(value)) note(place, 'must be up to 1000 printable ASCII characters');
    return { text: value };
  }
  readObject(place, ['inSeconds']);
  return { inSeconds: readWhole(memberOf(place, 'inSeconds'), -1_000_000_000, 1_000_000_000) };
}

function isThere(place: Place, name: string): boolean {
  return memberOf(place, name).value !== undefined;
}
