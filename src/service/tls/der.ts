// DER (X.690), as much of it as a certificate needs: writing, never reading. What stands in a certificate is decided in
// `self-signed.ts`.

/** One value: tag, length, content. */
export type DER = Uint8Array<ArrayBuffer>;

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Context-specific tags: implicit ones hold bytes, explicit ones hold values. */
const implicitTag = 0x80;
const explicitTag = 0xa0;

export function sequence(...parts: readonly Uint8Array[]): DER {
  return encode(tags.sequence, join(parts));
}

export function set(...parts: readonly Uint8Array[]): DER {
  return encode(tags.set, join(parts));
}

export function explicit(tag: number, content: Uint8Array): DER {
  return encode(explicitTag + tag, content);
}

export function implicit(tag: number, content: Uint8Array): DER {
  return encode(implicitTag + tag, content);
}

export function trueValue(): DER {
  return encode(tags.boolean, Uint8Array.of(0xff));
}

/** A whole number that is not negative, most significant byte first. */
export function integer(bytes: Uint8Array): DER {
  const start = bytes.findIndex((byte) => byte !== 0);
  const significant = start === -1 ? Uint8Array.of(0) : bytes.subarray(start);
  const isNegative = (significant[0] ?? 0) >= 0x80;
  return encode(tags.integer, isNegative ? join([Uint8Array.of(0), significant]) : significant);
}

/** `unusedBits` is how many of the last byte's lowest bits do not count. */
export function bitString(bytes: Uint8Array, unusedBits = 0): DER {
  return encode(tags.bitString, join([Uint8Array.of(unusedBits), bytes]));
}

export function octetString(bytes: Uint8Array): DER {
  return encode(tags.octetString, bytes);
}

export function utf8String(text: string): DER {
  return encode(tags.utf8String, new TextEncoder().encode(text));
}

/** `1.2.840.10045.4.3.2`. */
export function oid(text: string): DER {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return encode(tags.oid, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** In whole seconds. RFC 5280 section 4.1.2.5: two digits of the year before 2050, four from then on. */
export function time(atMs: number): DER {
  const digits = new Date(atMs).toISOString().replaceAll(/\..*|[^0-9]/g, '');
  const isShort = Number(digits.slice(0, 4)) < 2050;
  const text = `${isShort ? digits.slice(2) : digits}Z`;
  return encode(isShort ? tags.utcTime : tags.generalizedTime, new TextEncoder().encode(text));
}

function encode(tag: number, content: Uint8Array): DER {
  return join([Uint8Array.of(tag, ...lengthBytes(content.length)), content]);
}

function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 + bytes.length, ...bytes];
}

/** Seven bits a byte, the highest bit set on all but the last. */
function base128(value: number): readonly number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 + (rest % 128));
  return bytes;
}

function join(parts: readonly Uint8Array[]): DER {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
