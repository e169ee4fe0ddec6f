// The use of a credential begins with the consent of its Secret or its ServiceAccount, and ends with it: gone, unlabelled, replaced or
// without its annotation, no request rests on the old value for longer than a minute and a request's deadline. Every Secret of the
// simulation has a unique value, and every ServiceAccount a unique uid, so each request shows its credential. What went serves on while a
// connection that needs it is being deleted.
import { consentText } from '../alerts/sim-accounts.ts';
import type { SimExchange } from '../engine/types.ts';
import { allConnections, connectionPlurals, resourcesOf } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import { keyOf } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import type { Oracle } from './oracle.ts';
import { isEnding } from './usable.ts';

/** A reading may be a minute old, and a request may wait for its socket for as long as it may take. */
const useMs = 60_000 + 30_000 + 5000;

export const credentialOracle: Oracle = {
  name: 'the use of a credential ends with its Secret',
  watch(world, report) {
    const endedAt = new Map<string, number>();
    /** Every value that was once meant for the operator. */
    const meant = new Set<string>();
    for (const [plural, valuesOf] of Object.entries(readers))
      for (const object of world.api.store.list(plural)) for (const value of valuesOf(object)) meant.add(value);
    /** The last time at which a process could not read a Secret, and so could not know. */
    let lastUnreadMs = 0;
    /** The last time at which a connection with its resources in that namespace was being deleted. */
    const lastEndingMs = new Map<string, number>();
    world.api.store.onChange(({ plural, object }) => {
      if (connectionPlurals.includes(plural) && isEnding(world, object))
        lastEndingMs.set(resourcesOf(object), world.time.nowMs);
    });
    const isKept = (namespace: string, atMs: number) =>
      allConnections(world.api.store).some((each) => resourcesOf(each) === namespace && isEnding(world, each)) ||
      atMs - (lastEndingMs.get(namespace) ?? -Infinity) <= useMs;
    world.api.store.onChange(({ plural, type, object, previous }) => {
      const valuesOf = readers[plural];
      if (!valuesOf) return;
      for (const value of valuesOf(previous)) endedAt.set(`${keyOf(object)} ${value}`, world.time.nowMs);
      if (type === 'DELETED') return;
      for (const value of valuesOf(object)) {
        meant.add(value);
        endedAt.delete(`${keyOf(object)} ${value}`);
      }
    });
    world.onExchange.push((exchange) => {
      const { method, path, process } = exchange.request;
      if (leavesItsSegment(path)) report(`${process} asked for ${path}`);
      if (method === 'GET' && /\/(secrets|serviceaccounts)\//.test(path) && !isRead(exchange))
        lastUnreadMs = exchange.endedAtMs;
    });
    world.judges.push(({ process, credential, caller, atMs, kind }) => {
      const isAccepted = caller !== undefined || kind === 'token';
      if (isAccepted && credential !== undefined && !meant.has(credential))
        return () => report(`${process} sent a ${kind} with what nothing lets it use`);
      const ended = [...endedAt].find(([key]) => key.split(' ')[1] === credential);
      if (!ended) return undefined;
      const [key, sinceMs] = ended;
      const lateMs = atMs - Math.max(sinceMs, lastUnreadMs);
      const [secret = ''] = key.split(' ');
      if (lateMs <= useMs || isKept(secret.split('/')[0] ?? '', atMs)) return undefined;
      return () => report(`${process} sent a ${kind} with what ${secret} held ${Math.round(lateMs / 1000)} s ago`);
    });
  },
};

/** A name that leads to the object of another namespace. */
function leavesItsSegment(path: string): boolean {
  return /(^|\/|%2f)\.\.(\/|%2f|$)/i.test(path.split('?', 1)[0] ?? '');
}

/** True when the response says what the Secret holds, or that the process may not have it. A page of a proxy says neither. */
function isRead({ outcome, fate }: SimExchange): boolean {
  const isForged = fate === 'replace' || fate === 'instead';
  return outcome === 403 || outcome === 404 || (outcome === 200 && !isForged);
}

/** What may be used of a Secret or a ServiceAccount. */
const readers: Readonly<Record<string, (object: StoredObject | undefined) => readonly string[]>> = {
  secrets: valuesOfSecret,
  serviceaccounts: consentsOf,
};

/** For the audience in the annotation only. */
function consentsOf(account: StoredObject | undefined): string[] {
  const audience = account?.metadata.annotations?.['rolealerts.dev/federated-audience'];
  if (!account || audience === undefined) return [];
  return [consentText({ account: keyOf(account), uid: account.metadata.uid, audience })];
}

/** Without the label nothing. */
function valuesOfSecret(secret: StoredObject | undefined): string[] {
  if (secret?.metadata.labels?.['rolealerts.dev/credential'] !== 'true') return [];
  const values = Object.values((secret['data'] ?? {}) as Json);
  return values.map((value) => Buffer.from(String(value), 'base64').toString('utf8'));
}
