// The simulated API server as a host on the network: who may do what, and each verb. What a write makes of an object is decided
// in writes.ts, so that a scenario's own acts (`acts`) obey the same rules as requests.
import type { Random } from '../../../src/lib/random.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import type { SimAnswer, SimHost, SimRequest, SimStream } from '../engine/types.ts';
import type { VirtualTime } from '../engine/virtual-time.ts';
import { Refusal, refusalAnswer, type StoredObject } from './object.ts';
import { Pages } from './pages.ts';
import { type KubeCall, parseCall, selectorOf } from './request-path.ts';
import type { SimResource } from './resources.ts';
import { ObjectStore } from './store.ts';
import { Watches } from './watches.ts';
import { apiVersionOf, type SentObject, Writes } from './writes.ts';

export interface ApiServerOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly resources: readonly SimResource[];
  /** How far behind watches are. Default: not at all. */
  readonly lagMs?: () => number;
  /** What goes out for one watch line. Default: the line. */
  readonly mangle?: (line: string) => readonly (string | Buffer)[];
}

export class SimApiServer implements SimHost {
  readonly store = new ObjectStore();
  readonly writes: Writes;
  readonly watches: Watches;
  /** Bearer tokens that are accepted. */
  readonly tokens = new Set(['sim-token']);
  /** Plurals whose CRD is gone. */
  readonly removed = new Set<string>();
  /** RBAC: true refuses with 403. */
  isDenied: (call: Pick<KubeCall, 'verb' | 'namespace'> & { readonly plural: string }) => boolean = () => false;
  /** Told of every request that wrote something. */
  readonly onWrite: ((request: SimRequest, call: KubeCall, object: StoredObject) => void)[] = [];
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
      const call = parseCall(request, this.#options.resources);
      this.#demandAccess(request, call);
      if (call.verb === 'watch') {
        this.#watch(call, open);
        return undefined;
      }
      return this.#answer(request, call);
    } catch (error) {
      if (error instanceof Refusal) return refusalAnswer(error);
      throw error;
    }
  }

  #demandAccess({ headers }: SimRequest, { verb, resource, namespace }: KubeCall): void {
    const token = /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1];
    if (token === undefined || !this.tokens.has(token)) throw new Refusal(401, 'Unauthorized');
    if (this.isDenied({ verb, namespace, plural: resource.plural })) {
      throw new Refusal(403, `${resource.plural} is forbidden: cannot ${verb} resource`);
    }
    if (this.removed.has(resource.plural)) throw new Refusal(404, 'the server could not find the requested resource');
  }

  #answer(request: SimRequest, call: KubeCall): SimAnswer {
    if (call.verb === 'list') return { status: 200, body: JSON.stringify(this.#list(call)) };
    if (call.verb === 'get') return { status: 200, body: JSON.stringify(this.#get(call)) };
    const object = this.#write(call, request);
    for (const tell of this.onWrite) tell(request, call, object);
    return { status: call.verb === 'create' ? 201 : 200, body: JSON.stringify(object) };
  }

  #get({ resource, namespace, name = '' }: KubeCall): StoredObject {
    const object = this.store.get(resource.plural, namespace === undefined ? name : `${namespace}/${name}`);
    if (!object) throw new Refusal(404, `${resource.plural} "${name}" not found`);
    return object;
  }

  #list({ resource, namespace, query }: KubeCall): object {
    const fits = selectorOf(query, namespace);
    const page = this.#pages.page(this.store, {
      objects: () => this.store.list(resource.plural).filter(fits),
      limit: Number(query.get('limit') ?? 0),
      continueToken: query.get('continue') ?? '',
    });
    const metadata = { resourceVersion: String(page.version), ...(page.next && { continue: page.next }) };
    return { apiVersion: apiVersionOf(resource), kind: `${resource.kind}List`, metadata, items: page.objects };
  }

  #watch({ resource, namespace, query }: KubeCall, open: (status: number) => SimStream): void {
    const fits = selectorOf(query, namespace);
    const request = {
      plural: resource.plural,
      kind: resource.kind,
      apiVersion: apiVersionOf(resource),
      fromVersion: Number(query.get('resourceVersion') ?? this.store.version),
      fits,
      timeoutMs: Number(query.get('timeoutSeconds') ?? 1800) * 1000,
      hasBookmarks: query.get('allowWatchBookmarks') === 'true',
    };
    this.watches.start(request, () => open(200));
  }

  #write(call: KubeCall, { body, headers }: SimRequest): StoredObject {
    const { resource, namespace, name = '' } = call;
    if (call.verb === 'delete') return this.writes.delete(resource, namespace, name);
    const sent = parseBody(body);
    demandName(sent, call);
    if (call.verb === 'create') {
      demandEvent(resource, namespace, sent);
      return this.writes.create(resource, namespace, sent);
    }
    if (call.verb === 'patch') {
      if (headers['content-type'] !== 'application/merge-patch+json') throw new Refusal(415, 'only merge patches');
      return this.writes.mergePatch(resource, namespace, name, sent, call.isStatus ? 'status' : undefined);
    }
    return call.isStatus
      ? this.writes.replaceStatus(resource, namespace, name, sent)
      : this.writes.replace(resource, namespace, name, sent);
  }
}

function parseBody(body: string): SentObject {
  try {
    return JSON.parse(body) as SentObject;
  } catch {
    throw new Refusal(400, 'the body is not JSON');
  }
}

function demandName(sent: SentObject, { name, namespace }: KubeCall): void {
  const { metadata } = sent;
  if (name !== undefined && metadata?.name !== undefined && metadata.name !== name) {
    throw new Refusal(400, 'the name of the object does not match the name on the URL');
  }
  if (metadata?.namespace !== undefined && metadata.namespace !== namespace) {
    throw new Refusal(400, 'the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** What the API server demands of events.k8s.io/v1. */
function demandEvent({ plural }: SimResource, namespace: string | undefined, sent: SentObject): void {
  if (plural !== 'events') return;
  const { note, reason, action, eventTime, reportingController, reportingInstance, regarding } = sent as Record<
    string,
    unknown
  >;
  const isWhole = [reason, action, eventTime, reportingController, reportingInstance].every(
    (member) => typeof member === 'string' && member !== '',
  );
  const isLong = typeof note === 'string' && Buffer.byteLength(note) > 1024;
  const isElsewhere = (regarding as { namespace?: string } | undefined)?.namespace !== namespace;
  if (!isWhole || isLong || isElsewhere) throw new Refusal(422, 'the Event is invalid');
}

function uid(random: Random): string {
  const part = () =>
    Math.floor(random.next() * 2 ** 16)
      .toString(16)
      .padStart(4, '0');
  return `${part()}${part()}-${part()}-4${part().slice(1)}-8${part().slice(1)}-${part()}${part()}${part()}`;
}
