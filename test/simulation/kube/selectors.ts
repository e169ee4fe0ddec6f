// Which objects a list or a watch is about: its namespace, its labels and a name.
import type { StoredObject } from './object.ts';

type Fits = (object: StoredObject) => boolean;

/** `a=b,c!=d,e in (f,g),h,!i` on labels; of the fields only `metadata.name=NAME`, since no client here asks for another. */
export function selectorOf(query: URLSearchParams, namespace: string | undefined): Fits {
  const [, name] = /^metadata\.name=(.+)$/.exec(query.get('fieldSelector') ?? '') ?? [];
  const labels = terms(query.get('labelSelector')).map(labelTerm);
  return ({ metadata }) =>
    (namespace === undefined || metadata.namespace === namespace) &&
    (name === undefined || metadata.name === name) &&
    labels.every((fits) => fits(metadata.labels ?? {}));
}

/** Commas inside brackets do not divide. */
function terms(text: string | null): string[] {
  return (text ?? '')
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');
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
  const [, not, bare = ''] = /^(!?)\s*([^\s=!]+)$/.exec(term) ?? [];
  return (labels) => (not === '!') === (labels[bare] === undefined);
}
