// What a connection's status says of a generation was tried with that spec: between the edit and the status that says it was
// observed, the process asked the service or read the credential.
import { isDeepStrictEqual } from 'node:util';

import { keyOfCaller } from '../alerts/callers.ts';
import { allConnections, connectionPlurals, keyAnywhere, resourcesOf } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import type { World } from '../world.ts';
import { SpecHistory } from './history.ts';
import type { Oracle } from './oracle.ts';

/** A reading of the credential serves for a minute. */
const readingMs = 60_000;

export const connectionOracle: Oracle = {
  name: 'a connection is observed once it was tried',
  watch(world, report) {
    const editedAt = new Map<string, number>();
    const observed = new Map<string, number>();
    const triedAt = rememberTries(world);
    const specs = new SpecHistory(world, ...connectionPlurals);
    // An edit that the next one takes back leaves the spec that was tried.
    const wasTried = ({ metadata, spec }: StoredObject, key: string, triedMs: number) =>
      world.time.nowMs - triedMs <= readingMs &&
      specs
        .during(triedMs, triedMs, key)
        .some(({ object }) => object.metadata.uid === metadata.uid && isDeepStrictEqual(object.spec, spec));
    world.api.store.onChange(({ plural, type, object, previous }) => {
      if (!connectionPlurals.includes(plural) || type === 'DELETED') return;
      const key = `${keyAnywhere(object)} ${object.metadata.uid}`;
      if (object.metadata.generation !== previous?.metadata.generation) editedAt.set(key, world.time.nowMs);
      const next = Number(object.status?.['observedGeneration'] ?? -1);
      if (next === (observed.get(key) ?? -1)) return;
      observed.set(key, next);
      const sinceMs = editedAt.get(key) ?? 0;
      const triedMs = triedAt.get(keyAnywhere(object)) ?? -Infinity;
      if (next !== object.metadata.generation || triedMs >= sinceMs) return;
      if (wasTried(object, keyAnywhere(object), triedMs)) return;
      // An address that may not be used is refused before anything is sent.
      // A deletion needs no try. A pause applies to a connection whatever its spec says.
      if (['InvalidEndpoint', 'HostNotAllowed', 'Throttled', 'Deleting'].includes(String(reasonOf(object)))) return;
      if (previous) report(`${keyAnywhere(object)} says it observed generation ${next}, with which nothing was tried`);
    });
  },
};

/** When a request of a connection, or a read of its credential, last ended, successful or not. */
function rememberTries(world: World): Map<string, number> {
  const triedAt = new Map<string, number>();
  world.onExchange.push(({ request, endedAtMs }) => {
    const [, namespace, name] =
      /\/namespaces\/([^/]+)\/(?:secrets|configmaps|serviceaccounts)\/([^/?]+)/.exec(request.path) ?? [];
    if (namespace !== undefined) {
      for (const connection of allConnections(world.api.store))
        if (resourcesOf(connection) === namespace && namesOf(connection).includes(name ?? ''))
          triedAt.set(keyAnywhere(connection), endedAtMs);
    }
    const caller = world.service.accounts.callerOf(request.headers, world.time.nowMs);
    if (caller !== undefined) triedAt.set(keyOfCaller(caller), endedAtMs);
    if (request.path.startsWith('/token'))
      for (const id of [...world.service.clients.keys(), ...world.service.accounts.trusts.keys()])
        triedAt.set(keyOfCaller(id), endedAtMs);
    const isService = world.services.some(({ origin }) => origin === request.origin);
    // An unknown token cannot be traced to a connection.
    if (isService && caller === undefined)
      for (const connection of allConnections(world.api.store)) triedAt.set(keyAnywhere(connection), endedAtMs);
  });
  return triedAt;
}

function reasonOf({ status = {} }: StoredObject): unknown {
  const [ready] = (status['conditions'] ?? []) as readonly Json[];
  return ready?.['reason'];
}

function namesOf({ spec = {} }: StoredObject): string[] {
  return [...JSON.stringify(spec).matchAll(/"(?:name|serviceAccountName)":"([^"]+)"/g)].map(([, name = '']) => name);
}
