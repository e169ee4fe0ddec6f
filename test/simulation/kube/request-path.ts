// What a request to the API server asks for: path and query to resource, object and verb.
import type { SimRequest } from '../engine/types.ts';
import { Refusal, type StoredObject } from './object.ts';
import type { SimResource } from './resources.ts';

export interface KubeCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
  readonly resource: SimResource;
  readonly namespace: string | undefined;
  /** Undefined for a collection. */
  readonly name: string | undefined;
  readonly isStatus: boolean;
  readonly query: URLSearchParams;
}

/** Throws 404 for what is not served. */
export function parseCall(request: SimRequest, resources: readonly SimResource[]): KubeCall {
  const [path = '', query = ''] = request.path.split('?', 2);
  const parameters = new URLSearchParams(query);
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeURIComponent);
  const isCore = segments[0] === 'api';
  const [group, version] = isCore ? ['', segments[1]] : [segments[1], segments[2]];
  let rest = segments.slice(isCore ? 2 : 3);
  let namespace: string | undefined;
  if (rest[0] === 'namespaces' && rest.length > 2) {
    namespace = rest[1];
    rest = rest.slice(2);
  }
  const [plural, name, subresource] = rest;
  const resource = resources.find(
    (known) => known.plural === plural && known.group === group && known.version === version,
  );
  if (!resource || (subresource !== undefined && !(subresource === 'status' && resource.hasStatus))) {
    throw new Refusal(404, 'the server could not find the requested resource');
  }
  const isWatch = name === undefined && ['true', '1'].includes(parameters.get('watch') ?? '');
  const verb = verbOf(request.method, name !== undefined, isWatch);
  return { verb, resource, namespace, name, isStatus: subresource === 'status', query: parameters };
}

function verbOf(method: string, isNamed: boolean, isWatch: boolean): KubeCall['verb'] {
  if (method === 'GET') return isWatch ? 'watch' : isNamed ? 'get' : 'list';
  if (method === 'POST' && !isNamed) return 'create';
  if (method === 'PUT' && isNamed) return 'update';
  if (method === 'PATCH' && isNamed) return 'patch';
  if (method === 'DELETE' && isNamed) return 'delete';
  throw new Refusal(405, 'the server does not allow this method on the requested resource');
}

/** `a=b,c!=d,e in (f,g),h,!i` on labels and `metadata.name=…` on fields; throws 400 for what is not supported. */
export function selectorOf(query: URLSearchParams, namespace: string | undefined): (object: StoredObject) => boolean {
  const fields = terms(query.get('fieldSelector')).map(fieldTerm);
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

function fieldTerm(term: string): (object: StoredObject) => boolean {
  const [path = '', value = ''] = term.split(/==?/);
  if (path === 'metadata.name') return ({ metadata }) => metadata.name === value;
  if (path === 'metadata.namespace') return ({ metadata }) => metadata.namespace === value;
  throw new Refusal(400, `field label not supported: ${path}`);
}

function labelTerm(term: string): (labels: Readonly<Record<string, string>>) => boolean {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(term);
  if (set) {
    const [, name = '', operator, list = ''] = set;
    const values = new Set(list.split(',').map((value) => value.trim()));
    return (labels) => (operator === 'in') === (labels[name] !== undefined && values.has(labels[name]));
  }
  const [, name = '', operator, value] = /^(\S+?)\s*(!=|==?)\s*(\S*)$/.exec(term) ?? [];
  if (operator !== undefined) return (labels) => (operator === '!=') !== (labels[name] === value);
  return term.startsWith('!')
    ? (labels) => labels[term.slice(1)] === undefined
    : (labels) => labels[term] !== undefined;
}
