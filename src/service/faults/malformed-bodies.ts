// The ways in which a body can be none. Each begins with the true answer where it can, so that a client that looks too
// little takes it for one.
import { isObject } from '../alerts/alert-shape.ts';
import type { Malformation } from './fault.ts';

interface MalformedBody {
  readonly body: string;
  /** Absent for the one that it had. */
  readonly contentType?: string;
  /** Each character of `body` is one byte. */
  readonly isBinary?: boolean;
}

/** Enough for parsers that call themselves for each level. */
const depth = 5000;

export const malformedBodies: Readonly<Record<Malformation, (body: string) => MalformedBody>> = {
  truncated: (body) => ({ body: body.slice(0, Math.ceil(body.length / 2)) }),
  empty: () => ({ body: '' }),
  'not-json': () => ({ body: '<!doctype html><title>Welcome</title>' }),
  'wrong-type': (body) => ({ body: JSON.stringify(withWrongTypes(parse(body))) }),
  'wrong-content-type': (body) => ({ body, contentType: 'text/html; charset=utf-8' }),
  'bad-utf8': (body) => ({ body: withBrokenByte(Buffer.from(body).toString('latin1')), isBinary: true }),
  'too-deep': () => ({ body: `{"value":${'['.repeat(depth)}${']'.repeat(depth)}}` }),
};

/** Every member has another type: texts become numbers, the rest texts. */
function withWrongTypes(body: unknown): unknown {
  if (!isObject(body)) return 'wrong';
  const entries = Object.entries(body);
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? 0 : 'wrong']));
}

/** Stands inside the last text, where a lenient decoder would put a replacement character. */
function withBrokenByte(bytes: string): string {
  const at = Math.max(bytes.lastIndexOf('"'), 0);
  return `${bytes.slice(0, at)}\xff${bytes.slice(at)}`;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
