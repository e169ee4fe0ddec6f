// Almost valid documents: a valid one with a few members exchanged, dropped, repeated, nested or renamed, and texts
// that often break parsers. For everything that reads external input.
import fc from 'fast-check';

/** How many inputs a fuzz test tries. `ROLEALERTS_FUZZ_RUNS` multiplies them for a long session. */
export function fuzz(runs: number): { readonly numRuns: number } {
  const factor = Number(process.env['ROLEALERTS_FUZZ_RUNS'] ?? 1);
  return { numRuns: Math.round(runs * (factor > 0 ? factor : 1)) };
}

/** Texts that often break parsers and terminals. */
export const awkwardText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '.',
    '..',
    '/',
    '\0',
    '\n',
    '\ud800',
    '\udc00x',
    '\u202eevil',
    '\ufeff',
    '\u001b[31mred',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'K',
    'İ',
    'ß',
    '1e999',
    '-0',
    'NaN',
    '0001-01-01T00:00:00Z',
    '9999-99-99T99:99:99Z',
    '+275760-09-13T00:00:00.001Z',
    '9'.repeat(400),
    'a'.repeat(70_000),
    '%00%2f..%5c',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const awkwardNumber: fc.Arbitrary<number> = fc.constantFrom(
  0,
  -0,
  -1,
  0.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 1,
  -Number.MAX_SAFE_INTEGER,
  2 ** 31,
  2 ** 63,
  // What JSON.parse makes of 1e999.
  Number.POSITIVE_INFINITY,
);

/** A value with `depth` levels. Built without recursion, so that it can be too deep for a recursive function. */
export function nested(depth: number, leaf: unknown = 0): unknown {
  let value = leaf;
  for (let count = 0; count < depth; count++) value = count % 2 === 0 ? [value] : { a: value };
  return value;
}

export const awkwardValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, {}, []),
  awkwardText,
  awkwardNumber,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(20_000).map((depth) => nested(depth)),
  fc.constant(JSON.parse('{"__proto__":{"isActive":true},"constructor":{"prototype":{}}}') as unknown),
);

type Step =
  | { readonly do: 'replace'; readonly value: unknown }
  /** Replaces a value by one of the same type, which a check of types alone accepts. */
  | { readonly do: 'vary'; readonly text: string; readonly number: number }
  | { readonly do: 'drop' | 'repeat' | 'wrap' | 'rename' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('vary' as const), text: awkwardText, number: awkwardNumber }) },
  { weight: 4, arbitrary: awkwardValue.map((value) => ({ do: 'replace' as const, value })) },
  { weight: 2, arbitrary: fc.constant({ do: 'drop' as const }) },
  fc.constantFrom<Step>({ do: 'repeat' }, { do: 'wrap' }, { do: 'rename' }),
);

/** `document` with up to four mutations, each at a place of its own. The document itself stays as it is. */
export function mutated(document: unknown): fc.Arbitrary<unknown> {
  const places = placesOf(document);
  const mutation = fc.record({ place: fc.constantFrom(...places), step });
  return fc
    .array(mutation, { minLength: 1, maxLength: 4 })
    .map((mutations) =>
      mutations.reduce<unknown>((value, { place, step: each }) => mutate(value, place, each), document),
    );
}

type Place = readonly (string | number)[];

/** Every place of the document, the root included. */
function placesOf(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at];
  const keys = Array.isArray(value) ? value.keys().toArray() : Object.keys(value);
  return [at, ...keys.flatMap((key) => placesOf((value as Record<string | number, unknown>)[key], [...at, key]))];
}

/** A place that an earlier mutation took away leaves the value as it is. */
function mutate(value: unknown, [key, ...rest]: Place, step: Step): unknown {
  if (key === undefined) return atRoot(value, step);
  if (Array.isArray(value)) return inList(value, Number(key), rest, step);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return value;
  const others = Object.entries(value).filter(([name]) => name !== String(key));
  const member = (value as Record<string, unknown>)[key];
  if (rest.length > 0) return Object.fromEntries([...others, [key, mutate(member, rest, step)]]);
  if (step.do === 'drop') return Object.fromEntries(others);
  if (step.do === 'rename') return Object.fromEntries([...others, [String(key).toUpperCase(), member]]);
  return Object.fromEntries([...others, [key, atRoot(member, step)]]);
}

function inList(list: readonly unknown[], index: number, rest: Place, step: Step): unknown {
  if (rest.length > 0) return list.map((item, at) => (at === index ? mutate(item, rest, step) : item));
  if (step.do === 'drop') return list.toSpliced(index, 1);
  if (step.do === 'repeat') return list.toSpliced(index, 0, list[index]);
  return list.map((item, at) => (at === index ? atRoot(item, step) : item));
}

function atRoot(value: unknown, step: Step): unknown {
  if (step.do === 'replace') return step.value;
  if (step.do === 'vary') return varied(value, step);
  if (step.do === 'wrap') return [value];
  return step.do === 'repeat' ? [value, value] : undefined;
}

function varied(value: unknown, { text, number }: Step & { readonly do: 'vary' }): unknown {
  if (typeof value === 'string') return text;
  if (typeof value === 'number') return number;
  return typeof value === 'boolean' ? !value : value;
}

/** JSON text of a document, sometimes cut off or with one byte exchanged. */
export function mutatedBytes(document: unknown): fc.Arbitrary<Buffer> {
  return fc
    .record({ value: mutated(document), cut: fc.option(fc.nat(), { freq: 3 }), flip: fc.option(fc.nat(), { freq: 3 }) })
    .map(({ value, cut, flip }) => {
      const bytes = Buffer.from(jsonText(value));
      if (flip !== null && bytes.length > 0) bytes[flip % bytes.length] = flip & 0xff;
      return cut === null ? bytes : bytes.subarray(0, cut % (bytes.length + 1));
    });
}

/** A client can send text that is nested too deeply for JSON.stringify. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  }
}
