// Parses the path and query of a request to the API server into resource, object and verb, and which objects a list or a watch is about:
// its namespace, its labels and a name.
import { posix } from 'node:path';

import { isSelected, parseLabelSelector } from '../../../src/lib/label-selector.ts';
import type { SimRequest } from '../engine/types.ts';
import { NotServed, Refusal, type StoredObject } from './object.ts';
import type { SimResource } from './resources.ts';

export interface KubeCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
  readonly resource: SimResource;
  readonly namespace: string | undefined;
  /** Undefined for a collection. */
  readonly name: string | undefined;
  readonly isStatus: boolean;
  /** A TokenRequest for a ServiceAccount. */
  readonly isToken: boolean;
  readonly query: URLSearchParams;
}

/** Throws 404 for what is not served. */
export function parseCall(request: SimRequest, resources: readonly SimResource[]): KubeCall {
  const [written = '', query = ''] = request.path.split('?', 2);
  // What leaves its segment leads where a proxy or a server takes it.
  const path = posix.normalize(written);
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
  const isBuiltIn = resources.some((known) => known.group === group && known.version === version && !known.schema);
  if (!resource && !isBuiltIn) throw new NotServed();
  if (!resource || (subresource !== undefined && !hasSubresource(resource, subresource))) {
    throw new Refusal(404, 'the server could not find the requested resource');
  }
  const isWatch = name === undefined && ['true', '1'].includes(parameters.get('watch') ?? '');
  const [isStatus, isToken] = [subresource === 'status', subresource === 'token'];
  const verb = verbOf(request.method, name !== undefined && !isToken, isWatch);
  return { verb, resource, namespace, name, isStatus, isToken, query: parameters };
}

function hasSubresource({ plural, hasStatus }: SimResource, subresource: string): boolean {
  return (subresource === 'status' && hasStatus) || (subresource === 'token' && plural === 'serviceaccounts');
}

function verbOf(method: string, isNamed: boolean, isWatch: boolean): KubeCall['verb'] {
  if (method === 'GET') return isWatch ? 'watch' : isNamed ? 'get' : 'list';
  if (method === 'POST' && !isNamed) return 'create';
  if (method === 'PUT' && isNamed) return 'update';
  if (method === 'PATCH' && isNamed) return 'patch';
  if (method === 'DELETE' && isNamed) return 'delete';
  throw new Refusal(405, 'the server does not allow this method on the requested resource');
}

type Fits = (object: StoredObject) => boolean;

/** By labels; of the fields only by `metadata.name=NAME`, since no client here asks for another. */
export function selectorOf(query: URLSearchParams, namespace: string | undefined): Fits {
  const [, name] = /^metadata\.name=(.+)$/.exec(query.get('fieldSelector') ?? '') ?? [];
  const selector = parseLabelSelector(query.get('labelSelector') ?? '') ?? [];
  return ({ metadata }) =>
    (namespace === undefined || metadata.namespace === namespace) &&
    (name === undefined || metadata.name === name) &&
    isSelected(selector, metadata.labels);
}
