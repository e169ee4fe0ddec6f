// The simulated API server as a host on the network: authorization, and each verb. writes.ts decides the effect of a write,
// so that a scenario's own actions obey the same rules as requests.
import type { Random } from '../../../src/lib/random.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import type { SimAnswer, SimHost, SimRequest, SimStream } from '../engine/types.ts';
import type { VirtualTime } from '../engine/virtual-time.ts';
import { demandEvent } from './event-rules.ts';
import { terminateNamespace } from './namespaces.ts';
import { NotServed, Refusal, refusalAnswer, type StoredObject } from './object.ts';
import { Pages } from './pages.ts';
import { type KubeCall, parseCall, selectorOf } from './request-path.ts';
import type { SimResource } from './resources.ts';
import type { SentObject } from './sent-object.ts';
import { type ChangeType, ObjectStore } from './store.ts';
import { clusterIssuer, TokenRequests } from './token-requests.ts';
import { Watches } from './watches.ts';
import { apiVersionOf, type Preconditions, Writes } from './writes.ts';

export interface ApiServerOptions {
  readonly time: Pick<VirtualTime, 'nowMs' | 'schedule'>;
  readonly random: Random;
  readonly resources: readonly SimResource[];
  /** How far behind watches are. Default: not at all. */
  readonly lagMs?: () => number;
  /** What goes out for one watch line. Default: the line. */
  readonly mangle?: (line: string) => readonly (string | Buffer)[];
}

/** The facts for RBAC. */
export interface DeniableCall extends Pick<KubeCall, 'verb' | 'namespace' | 'isStatus' | 'isToken'> {
  readonly plural: string;
  /** The client's token. */
  readonly token: string;
}

export class SimApiServer implements SimHost {
  readonly store = new ObjectStore();
  readonly writes: Writes;
  readonly watches: Watches;
  readonly tokenRequests = new TokenRequests(this.store);
  /** Bearer tokens that are accepted. */
  readonly tokens = new Set(['sim-token']);
  /** Plurals whose CRD is gone. */
  readonly removed = new Set<string>();
  /** RBAC: true means 403. */
  isDenied: (call: DeniableCall) => boolean = () => false;
  /** Called for every request that wrote something. */
  readonly onWrite: ((request: SimRequest, call: KubeCall, object: StoredObject) => void)[] = [];
  /** Called for every change that reached a process by a watch. */
  readonly onDelivered: ((process: string, plural: string, object: StoredObject, isDeleted: boolean) => void)[] = [];
  readonly #options: ApiServerOptions;
  readonly #pages = new Pages();

  constructor(options: ApiServerOptions) {
    this.#options = options;
    const { time, random, lagMs = () => 0, mangle = (line) => [line] } = options;
    this.writes = new Writes({
      store: this.store,
      nowMs: () => startOfTimeMs + time.nowMs,
      newUid: () => uid(random),
    });
    this.watches = new Watches({ store: this.store, time, lagMs, mangle });
  }

  resource(plural: string): SimResource {
    const found = this.#options.resources.find((resource) => resource.plural === plural);
    if (!found) throw new Error(`no resource ${plural}`);
    return found;
  }

  handle(
    request: SimRequest,
    open: (status: number, headers?: Readonly<Record<string, string>>) => SimStream,
  ): SimAnswer | undefined {
    try {
      const token = this.#tokenOf(request);
      if (request.path === '/.well-known/openid-configuration') return { status: 200, body: discovery };
      const call = parseCall(request, this.#options.resources);
      this.#demandAccess(token, call);
      if (call.verb === 'watch') {
        this.#watch(request, call, open);
        return undefined;
      }
      return this.#answer(request, call);
    } catch (error) {
      if (error instanceof Refusal) return refusalAnswer(error);
      throw error;
    }
  }

  /** Authentication comes first: an unknown client learns nothing about paths. */
  #tokenOf({ headers }: SimRequest): string {
    const token = /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1];
    if (token === undefined || !this.tokens.has(token)) throw new Refusal(401, 'Unauthorized');
    return token;
  }

  #demandAccess(token: string, { verb, resource: { plural }, namespace, isStatus, isToken }: KubeCall): void {
    if (this.isDenied({ verb, namespace, plural, isStatus, isToken, token })) {
      throw new Refusal(403, `${plural} is forbidden: cannot ${verb} resource`);
    }
    if (this.removed.has(plural)) throw new NotServed();
  }

  #answer(request: SimRequest, call: KubeCall): SimAnswer {
    const isMetadata = wantsMetadata(request);
    if (call.verb === 'list') {
      const list = this.#list(call);
      return { status: 200, body: JSON.stringify(isMetadata ? metadataList(list) : list) };
    }
    if (call.verb === 'get') return { status: 200, body: JSON.stringify(shownOf(this.#get(call), isMetadata)) };
    if (call.isToken) return { status: 201, body: JSON.stringify(this.#issueToken(call, request)) };
    const { object, status } = this.#write(call, request);
    for (const notify of this.onWrite) notify(request, call, object);
    const isGone = call.verb === 'delete' && object.metadata.deletionTimestamp === undefined;
    return { status, body: JSON.stringify(isGone ? success : shownOf(object, isMetadata)) };
  }

  #get({ resource, namespace, name = '' }: Pick<KubeCall, 'resource' | 'namespace' | 'name'>): StoredObject {
    const object = this.store.get(resource.plural, namespace === undefined ? name : `${namespace}/${name}`);
    if (!object) throw new Refusal(404, `${resource.plural} "${name}" not found`);
    return object;
  }

  #list({ resource, namespace, query }: KubeCall): ObjectList {
    const fits = selectorOf(query, namespace);
    const page = this.#pages.page(this.store, {
      objects: () => this.store.list(resource.plural).filter(fits),
      limit: Number(query.get('limit') ?? 0),
      continueToken: query.get('continue') ?? '',
    });
    const { version, next, left } = page;
    const metadata = { resourceVersion: String(version), ...(next && { continue: next, remainingItemCount: left }) };
    const items = resource.schema ? page.objects : page.objects.map(bare);
    return { apiVersion: apiVersionOf(resource), kind: `${resource.kind}List`, metadata, items };
  }

  #watch(sent: SimRequest, { resource, namespace, query }: KubeCall, open: (status: number) => SimStream): void {
    const fits = selectorOf(query, namespace);
    const isMetadata = wantsMetadata(sent);
    const request = {
      plural: resource.plural,
      ...(isMetadata ? metadataType : { kind: resource.kind, apiVersion: apiVersionOf(resource) }),
      show: (object: StoredObject) => shownOf(object, isMetadata),
      resourceVersion: query.get('resourceVersion') ?? '',
      fits,
      timeoutMs: Number(query.get('timeoutSeconds') ?? 1800) * 1000,
      hasBookmarks: query.get('allowWatchBookmarks') === 'true',
      onDelivered: (type: ChangeType, object: StoredObject) => {
        for (const notify of this.onDelivered) notify(sent.process, resource.plural, object, type === 'DELETED');
      },
    };
    this.watches.start(request, () => open(200));
  }

  #issueToken({ namespace, name }: KubeCall, { body }: SimRequest): object {
    return this.tokenRequests.issue(`${namespace}/${name}`, parseBody(body), this.#options.time.nowMs);
  }

  /** The object, and the response to its write. */
  #write(call: KubeCall, request: SimRequest): { readonly object: StoredObject; readonly status: number } {
    if (call.verb === 'delete') return { object: this.#delete(call, request), status: 200 };
    if (call.verb === 'patch') return { object: this.#patch(call, request), status: 200 };
    const { resource, namespace, name = '', isStatus } = call;
    const sent = parseBody(request.body);
    if (resource.plural === 'events') demandEvent(namespace, sent);
    if (call.verb === 'create') return { object: this.writes.create(resource, namespace, sent), status: 201 };
    this.#demandReplaced(call, sent);
    const object = isStatus
      ? this.writes.replaceStatus(resource, namespace, name, sent)
      : this.writes.replace(resource, namespace, name, sent);
    return { object, status: 200 };
  }

  /** A Lease that is gone is missed by its uid, which counts as a conflict. */
  #demandReplaced({ resource, namespace, name = '' }: KubeCall, { metadata }: SentObject): void {
    const { plural, needsVersion } = resource;
    const isThere = this.store.get(plural, `${namespace}/${name}`) !== undefined;
    if (plural === 'leases' && !isThere && metadata?.uid !== undefined) throw new Refusal(409, 'uid in precondition');
    if (isThere && needsVersion && (metadata?.resourceVersion ?? '') === '') {
      throw new Refusal(422, 'metadata.resourceVersion: must be specified for an update');
    }
  }

  /** RFC 7396, the only form that clients here send. */
  #patch(call: KubeCall, { body }: SimRequest): StoredObject {
    const { resource, namespace, name = '', isStatus } = call;
    return this.writes.mergePatch(resource, namespace, name, parseBody(body), isStatus ? 'status' : undefined);
  }

  /** A namespace goes with everything in it, which takes a while. */
  #delete({ resource, namespace, name = '' }: KubeCall, { body }: SimRequest): StoredObject {
    const { time, random } = this.#options;
    const options = body === '' ? {} : (parseBody(body) as { preconditions?: Preconditions });
    if (resource.plural !== 'namespaces') return this.writes.delete(resource, namespace, name, options.preconditions);
    terminateNamespace(this, time, random, name);
    return this.#get({ resource, namespace, name });
  }
}

interface ObjectList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  readonly items: readonly object[];
}

const metadataType = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };

/** True for a client that accepts metadata first. */
function wantsMetadata({ headers }: SimRequest): boolean {
  return (headers['accept'] ?? '').startsWith('application/json;as=PartialObjectMetadata');
}

function shownOf(object: StoredObject, isMetadata: boolean): object {
  return isMetadata ? { ...metadataType, metadata: object.metadata } : object;
}

function metadataList({ metadata, items }: ObjectList): ObjectList {
  const pieces = items.map((item) => shownOf(item as StoredObject, true));
  return { ...metadataType, kind: 'PartialObjectMetadataList', metadata, items: pieces };
}

const discovery = JSON.stringify({ issuer: clusterIssuer, jwks_uri: `${clusterIssuer}/openid/v1/jwks` });

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };

/** Items of what is built in do not say what they are. */
function bare(object: StoredObject): Omit<StoredObject, 'apiVersion' | 'kind'> {
  return { ...object, apiVersion: undefined, kind: undefined };
}

function parseBody(body: string): SentObject {
  try {
    return JSON.parse(body) as SentObject;
  } catch {
    throw new Refusal(400, 'the body is not JSON');
  }
}

function uid(random: Random): string {
  const part = () =>
    Math.floor(random.next() * 2 ** 16)
      .toString(16)
      .padStart(4, '0');
  return `${part()}${part()}-${part()}-4${part().slice(1)}-8${part().slice(1)}-${part()}${part()}${part()}`;
}
