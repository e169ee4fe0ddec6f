// Manifests with one to three random changes, most of which break the schema or a rule: for comparing two validators.
import { seededRandom } from '../../../src/lib/random.ts';
import type { SentObject } from '../../simulation/kube/sent-object.ts';

/** A whole number from 0 up to, not including, `limit`. */
type Below = (limit: number) => number;

/** The same manifests for the same seed. Only the spec is changed. */
export function mutatedManifests(bases: readonly SentObject[], count: number, seed: number): SentObject[] {
  const random = seededRandom(seed);
  const below: Below = (limit) => Math.floor(random.next() * limit);
  return Array.from({ length: count }, (_, index) => {
    const base = bases[index % bases.length] ?? {};
    let spec: unknown = base['spec'];
    for (let change = below(3); change >= 0; change -= 1) spec = mutated(spec, below);
    return { ...base, spec };
  });
}

/** A copy with one value changed: this one, or one inside it. */
function mutated(value: unknown, below: Below): unknown {
  if (Array.isArray(value))
    return value.length === 0 || below(5) === 0 ? changedList(value, below) : inList(value, below);
  if (typeof value === 'object' && value !== null)
    return below(6) === 0 ? changedObject(value, below) : inObject(value, below);
  return changedScalar(value, below);
}

function inList(list: readonly unknown[], below: Below): unknown {
  const at = below(list.length);
  return list.map((item, index) => (index === at ? mutated(item, below) : item));
}

function inObject(object: object, below: Below): unknown {
  const entries = Object.entries(object);
  if (entries.length === 0) return changedObject(object, below);
  const at = below(entries.length);
  return Object.fromEntries(entries.map(([key, value], index) => [key, index === at ? mutated(value, below) : value]));
}

function changedList(list: readonly unknown[], below: Below): unknown {
  const changes = [
    () => [],
    () => [...list, ...list],
    () => list.slice(1),
    () => [...list, null],
    () => Array.from({ length: 70 }, (_, index) => list[0] ?? index),
    () => ({}),
    () => null,
  ];
  return changes[below(changes.length)]?.();
}

function changedObject(object: object, below: Below): unknown {
  const entries = Object.entries(object);
  const at = below(Math.max(1, entries.length));
  const changes = [
    () => Object.fromEntries(entries.filter((_, index) => index !== at)),
    () => ({ ...object, unknownMember: true }),
    () => Object.fromEntries(entries.map(([key, value], index) => [index === at ? `${key}s` : key, value])),
    () => ({}),
    () => [],
    () => 'text',
    () => null,
  ];
  return changes[below(changes.length)]?.();
}

const texts = [
  '',
  ' ',
  'a',
  'Active',
  'Inactive',
  'inactive',
  'Enforce',
  '5s',
  '4.999s',
  '24h1s',
  '1h30m',
  '90',
  '2026-12-24T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-12-24',
  '1999-12-31T23:59:59Z',
  'https://management.example.net:8443/base',
  'https://user@management.example.net',
  'https://[::1]/a',
  'https://a b/',
  'http://a:port/',
  'ftp://a',
  '//a',
  'https:///a',
  'https://a/%zz',
  'subscriptions/a/../b',
  '/subscriptions/a',
  'Ünicode ünicode',
  '\u00a0\u00a0',
  'x'.repeat(254),
  'x'.repeat(600),
  'x'.repeat(1100),
];

function changedScalar(value: unknown, below: Below): unknown {
  const text = String(value);
  const changes = [
    () => texts[below(texts.length)],
    () => texts[below(texts.length)],
    () => `${text} `,
    () => `${text}${text}`,
    () => text.toUpperCase(),
    () => text.slice(1),
    () => [0, -1, 1, 51, 2 ** 31, 1.5, 9e15][below(7)],
    () => null,
    () => true,
    () => [value],
    () => ({ value }),
  ];
  return changes[below(changes.length)]?.();
}
