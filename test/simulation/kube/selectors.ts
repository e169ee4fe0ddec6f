// Which objects a list or a watch is about: its namespace, labels and fields. Invalid selectors are rejected with 400.
import { Refusal, type StoredObject } from './object.ts';
import type { SimResource } from './resources.ts';

type Fits = (object: StoredObject) => boolean;

/** `a=b,c!=d,e in (f,g),h,!i` on labels; on fields `a=b,c!=d`, of the metadata and of what the resource names. */
export function selectorOf(
  { selectableFields = [] }: SimResource,
  query: URLSearchParams,
  namespace: string | undefined,
): Fits {
  const fields = terms(query.get('fieldSelector')).map((term) => fieldTerm(term, selectableFields));
  const labels = terms(query.get('labelSelector')).map(labelTerm);
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    fields.every((fits) => fits(object)) &&
    labels.every((fits) => fits(object.metadata.labels ?? {}));
}

/** Commas inside brackets do not divide. */
function terms(text: string | null): string[] {
  return (text ?? '')
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');
}

function fieldTerm(term: string, selectable: readonly string[]): Fits {
  const [, path = '', operator, value = ''] = /^([^=!]+)(!=|==?)([^=]*)$/.exec(term) ?? [];
  if (operator === undefined) throw new Refusal(400, `invalid selector: '${term}'`);
  if (!['metadata.name', 'metadata.namespace', ...selectable].includes(path)) {
    throw new Refusal(400, `field label not supported: ${path}`);
  }
  const members = path.split('.');
  return (object) => (operator === '!=') !== ((valueAt(object, members) ?? '') === value);
}

function valueAt(object: unknown, [member, ...rest]: readonly string[]): unknown {
  if (member === undefined) return object;
  return typeof object === 'object' && object !== null
    ? valueAt((object as Record<string, unknown>)[member], rest)
    : undefined;
}

function labelTerm(term: string): (labels: Readonly<Record<string, string>>) => boolean {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(term);
  if (set) {
    const [, name = '', operator, list = ''] = set;
    const values = new Set(list.split(',').map((value) => value.trim()));
    return (labels) => (operator === 'in') === (labels[name] !== undefined && values.has(labels[name]));
  }
  const [, name = '', operator, value] = /^([^\s=!]+)\s*(!=|==?)\s*([^\s=!]*)$/.exec(term) ?? [];
  if (operator !== undefined) return (labels) => (operator === '!=') !== (labels[name] === value);
  const [, not, bare] = /^(!?)\s*([^\s=!]+)$/.exec(term) ?? [];
  if (bare === undefined) throw new Refusal(400, `unable to parse requirement: '${term}'`);
  return (labels) => (not === '!') === (labels[bare] === undefined);
}
