// Values drawn from a resource's own schema, so that a new field is exercised as soon as crds/ has it. Hints say what
// makes sense where a schema cannot: which names exist, which moments are near.
import type { CrdSchema } from '../../../src/lib/crds.ts';
import type { Random } from '../../../src/lib/random.ts';

/** Values that make sense at a path (`alerts[].name`); undefined leaves it to the schema. */
export type Hints = (path: string) => readonly unknown[] | undefined;

export function drawValue(schema: CrdSchema, random: Random, hints: Hints, path = ''): unknown {
  const hint = hints(path);
  if (hint) return pick(random, hint);
  if (schema.enum) return pick(random, schema.enum);
  switch (schema.type) {
    case 'object':
      return drawObject(schema, random, hints, path);
    case 'array':
      return drawList(schema, random, hints, path);
    case 'integer': {
      const least = schema.minimum ?? 0;
      return least + Math.floor(random.next() * Math.min((schema.maximum ?? 10) - least + 1, 10));
    }
    case 'boolean':
      return random.next() < 0.2;
    default:
      return 'text of sufficient length'.slice(0, schema.maxLength ?? 100);
  }
}

function drawObject(schema: CrdSchema, random: Random, hints: Hints, path: string): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const isRequired = schema.required?.includes(name) === true;
    if (!isRequired && random.next() < 0.4) continue;
    const value = drawValue(member, random, hints, path === '' ? name : `${path}.${name}`);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

function drawList(schema: CrdSchema, random: Random, hints: Hints, path: string): unknown[] {
  const least = schema.minItems ?? 0;
  const length = Math.min(least + Math.floor(random.next() * 4), schema.maxItems ?? 4);
  const { items } = schema;
  if (!items) return [];
  const list = Array.from({ length }, () => drawValue(items, random, hints, `${path}[]`));
  return [...new Map(list.map((item) => [keyOf(schema, item), item])).values()];
}

/** Lists by key and sets hold nothing twice; names count without regard to case. */
function keyOf(schema: CrdSchema, item: unknown): string {
  const keys = schema['x-kubernetes-list-map-keys'];
  const member = keys ? keys.map((key) => (item as Record<string, unknown>)[key]) : item;
  return JSON.stringify(member).toLowerCase();
}

/** Breaks something somewhere: another type, a wrong enum, a member too few or too many, a number out of bounds. */
export function spoil(value: unknown, random: Random): unknown {
  if (Array.isArray(value) && value.length > 0 && random.next() < 0.8) {
    const at = Math.floor(random.next() * value.length);
    return value.map((item, index) => (index === at ? spoil(item, random) : item));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && random.next() < 0.85) {
    const entries = Object.entries(value);
    const at = Math.floor(random.next() * entries.length);
    const [name, member] = entries[at] ?? ['unknown', 1];
    if (random.next() < 0.2) return Object.fromEntries(entries.filter(([other]) => other !== name));
    return { ...value, [name]: spoil(member, random) };
  }
  return pick(random, ['nonsense', -1, 2 ** 40, null, [], {}, true, '', 'x'.repeat(3000)]);
}

export function pick<T>(random: Random, list: readonly T[]): T {
  const item = list[Math.floor(random.next() * list.length)];
  if (item === undefined && list.length === 0) throw new Error('nothing to pick from');
  return item as T;
}
