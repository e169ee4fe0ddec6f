// The kinds of malformed bodies. Each is derived from the correct body if possible, so that a client with weak checks would
// accept it.
import { isObject, isString, parseJson } from '../../lib/json-shape.ts';
import type { Malformation } from './fault.ts';

interface MalformedBody {
  readonly body: string;
  /** Absent: unchanged. */
  readonly contentType?: string;
  /** Each character of `body` is one byte. */
  readonly isBinary?: boolean;
}

/** Deep enough to overflow the stack of a recursive parser. */
const depth = 5000;

export const malformedBodies: Readonly<Record<Malformation, (body: string) => MalformedBody>> = {
  truncated: (body) => ({ body: body.slice(0, Math.ceil(body.length / 2)) }),
  empty: () => ({ body: '' }),
  'not-json': () => ({ body: '<!doctype html><title>Welcome</title>' }),
  'wrong-type': (body) => ({ body: JSON.stringify(withWrongTypes(parseJson(body))) }),
  'wrong-content-type': (body) => ({ body, contentType: 'text/html; charset=utf-8' }),
  'bad-utf8': (body) => ({ body: withBrokenByte(Buffer.from(body).toString('latin1')), isBinary: true }),
  'too-deep': () => ({ body: `{"value":${'['.repeat(depth)}${']'.repeat(depth)}}` }),
};

/** Changes the type of every member: texts become numbers, the rest becomes text. */
function withWrongTypes(body: unknown): unknown {
  if (!isObject(body)) return 'wrong';
  const entries = Object.entries(body);
  return Object.fromEntries(entries.map(([name, value]) => [name, isString(value) ? 0 : 'wrong']));
}

/** Inserts an invalid byte into the last string, where a lenient decoder would put a replacement character. */
function withBrokenByte(bytes: string): string {
  const at = Math.max(bytes.lastIndexOf('"'), 0);
  return `${bytes.slice(0, at)}\xff${bytes.slice(at)}`;
}
