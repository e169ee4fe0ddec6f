// A behaviour of API servers as a case: requests through the operator's own transport, and their visible effect. The same cases
// run against the simulated API server and against a real one, so each sees only what both must show alike.
import type { ApiServerResponse } from '../../../../src/operator/kube/api-server-call.ts';
import { collectionPath, type KubeResource, objectPath, queryOf } from '../../../../src/operator/kube/resource.ts';
import type { KubeRequest, KubeTransport, KubeVerb } from '../../../../src/operator/kube/transport.ts';
import { apiGroup, apiVersion } from '../../../../src/policy/resources.ts';
import { openEvents, type SeenEvents } from './seen-events.ts';

/** An API server without relevant objects, and three kinds of callers. */
export interface KubeUnderTest {
  /** May do everything. */
  readonly transport: KubeTransport;
  /** Has an unknown token. */
  readonly stranger: KubeTransport;
  /** Is known, and may do nothing. */
  readonly unprivileged: KubeTransport;
  /** A namespace of the case's own. */
  newNamespace(): Promise<string>;
  /** Polls until the condition holds. */
  until(isSo: () => Promise<boolean>): Promise<void>;
}

export interface KubeCase {
  /** A sentence about API servers. */
  readonly says: string;
  readonly run: (calls: KubeCalls) => Promise<unknown>;
  readonly gives: unknown;
}

/** As loose as an API server's response is. */
export interface Json {
  readonly [member: string]: unknown;
}

export interface SeenObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Json & { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly spec: Json;
  readonly status?: Json;
  readonly data?: Json;
}

export interface SeenAnswer {
  /** `200`, or `409 Conflict` with the reason of the Status in the body. */
  readonly statusText: string;
  readonly status: number;
  readonly body: string;
  readonly object: SeenObject;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export const policies: KubeResource = { group: apiGroup, version: apiVersion, plural: 'rolealertpolicies' };
export const connections: KubeResource = { group: apiGroup, version: apiVersion, plural: 'rolealertconnections' };
export const leases: KubeResource = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' };
export const secrets: KubeResource = { group: '', version: 'v1', plural: 'secrets' };
export const configMaps: KubeResource = { group: '', version: 'v1', plural: 'configmaps' };
export const serviceAccounts: KubeResource = { group: '', version: 'v1', plural: 'serviceaccounts' };
export const events: KubeResource = { group: 'events.k8s.io', version: 'v1', plural: 'events' };

/** What one case does: requests in its namespace, as one user. A rejected request does not throw. */
export class KubeCalls {
  readonly api: KubeUnderTest;
  readonly namespace: string;
  readonly #transport: KubeTransport;

  constructor(api: KubeUnderTest, namespace: string, transport: KubeTransport = api.transport) {
    this.api = api;
    this.namespace = namespace;
    this.#transport = transport;
  }

  as(transport: KubeTransport): KubeCalls {
    return new KubeCalls(this.api, this.namespace, transport);
  }

  in(namespace: string): KubeCalls {
    return new KubeCalls(this.api, namespace, this.#transport);
  }

  create(resource: KubeResource, object: object): Promise<SeenAnswer> {
    return this.send('create', collectionPath(resource, this.namespace), object);
  }

  get(resource: KubeResource, name: string): Promise<SeenAnswer> {
    return this.send('get', objectPath(resource, this.namespace, name));
  }

  list(resource: KubeResource, query: Query = {}): Promise<SeenAnswer> {
    return this.send('list', `${collectionPath(resource, this.namespace)}${queryOf(query)}`);
  }

  /** Asks for the metadata alone, as for every list of the operator that needs no more. */
  async listMetadata(resource: KubeResource, query: Query = {}): Promise<SeenAnswer> {
    const path = `${collectionPath(resource, this.namespace)}${queryOf(query)}`;
    return seen(await this.#transport.send({ verb: 'list', path, answer: 'metadata' }));
  }

  async getMetadata(resource: KubeResource, name: string): Promise<SeenAnswer> {
    return seen(
      await this.#transport.send({
        verb: 'get',
        path: objectPath(resource, this.namespace, name),
        answer: 'metadata',
      }),
    );
  }

  replace(resource: KubeResource, name: string, object: object): Promise<SeenAnswer> {
    return this.send('update', objectPath(resource, this.namespace, name), object);
  }

  replaceStatus(resource: KubeResource, name: string, object: object): Promise<SeenAnswer> {
    return this.send('update', objectPath(resource, this.namespace, name, 'status'), object);
  }

  /** Sends a write whose answer shall be the object's metadata alone. */
  async writeForMetadata(request: Pick<KubeRequest, 'verb' | 'path'>, object: object): Promise<SeenAnswer> {
    return seen(await this.#transport.send({ ...request, body: JSON.stringify(object), answer: 'metadata' }));
  }

  merge(resource: KubeResource, name: string, patch: object, subresource?: 'status'): Promise<SeenAnswer> {
    const path = objectPath(resource, this.namespace, name, subresource);
    return this.send('patch', path, patch, 'application/merge-patch+json');
  }

  remove(resource: KubeResource, name: string, preconditions?: object): Promise<SeenAnswer> {
    const options = preconditions && { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
    return this.send('delete', objectPath(resource, this.namespace, name), options);
  }

  watch(resource: KubeResource, query: Query = {}, answer?: 'metadata'): Promise<SeenEvents> {
    const path = `${collectionPath(resource, this.namespace)}${queryOf({ watch: true, ...query })}`;
    return openEvents(this.#transport, { verb: 'watch', path, answer });
  }

  async send(verb: KubeVerb, path: string, body?: object | string, contentType?: string): Promise<SeenAnswer> {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    return seen(await this.#transport.send({ verb, path, body: text, contentType }));
  }
}

function seen({ status, body }: ApiServerResponse): SeenAnswer {
  const object = parse(body);
  const isFailure = object['kind'] === 'Status' && object['status'] === 'Failure';
  const { reason } = object;
  const statusText = isFailure && typeof reason === 'string' ? `${status} ${reason}` : String(status);
  return { statusText, status, body, object: object as unknown as SeenObject };
}

/** Not every refusal is a Status: what is not served at all is answered in plain text. */
function parse(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return {};
  }
}

/** A policy that the resource's rules accept. */
export function policy(name: string, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: `${apiGroup}/${apiVersion}`,
    kind: 'RoleAlertPolicy',
    metadata: { name, ...metadata },
    spec: {
      connectionRef: { name: 'prod' },
      scope: 'subscriptions/1',
      mode: 'Observe',
      unlisted: { state: 'Active' },
      ...spec,
    },
  };
}

/** A connection that the resource's rules accept. */
export function connection(name: string): object {
  return {
    apiVersion: `${apiGroup}/${apiVersion}`,
    kind: 'RoleAlertConnection',
    metadata: { name },
    spec: { endpoint: { baseURL: 'https://a.example.net' }, auth: { tokenSecretRef: { name: 'token', key: 'token' } } },
  };
}
