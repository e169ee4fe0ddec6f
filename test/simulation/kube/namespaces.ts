// The creation and deletion of namespaces with their content, as kube-controller-manager does it: marked first, then emptied object by
// object, then gone.
import type { Random } from '../../../src/lib/random.ts';
import type { VirtualTime } from '../engine/virtual-time.ts';
import type { SimApiServer } from './api-server.ts';

const emptied = ['events', 'leases', 'configmaps', 'secrets', 'rolealertconnections', 'rolealertpolicies'];

export function createNamespace(server: SimApiServer, name: string): void {
  server.writes.create(server.resource('namespaces'), undefined, { metadata: { name } });
}

/** One object every moment, in an order that differs by seed. What has finalizers is retried until it is gone. */
export function terminateNamespace(
  server: SimApiServer,
  time: Pick<VirtualTime, 'schedule'>,
  random: Random,
  name: string,
): void {
  const namespaces = server.resource('namespaces');
  const namespace = server.store.get('namespaces', name);
  if (!namespace || namespace.metadata.deletionTimestamp !== undefined) return;
  server.store.put('namespaces', { ...namespace, metadata: { ...namespace.metadata, finalizers: ['kubernetes'] } });
  server.writes.delete(namespaces, undefined, name);
  const order = emptied
    .map((plural) => ({ plural, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ plural }) => plural)
    // Without a draw of their own, so that the draws of a seed stay.
    .concat('serviceaccounts');
  const step = () => {
    const left = order.flatMap((plural) => server.store.list(plural, name).map((object) => ({ plural, object })));
    const next = left.find(({ object }) => object.metadata.deletionTimestamp === undefined);
    if (next) server.writes.delete(server.resource(next.plural), name, next.object.metadata.name);
    else if (left.length === 0) {
      finish(server, name);
      return;
    }
    time.schedule(10 + random.next() * 500, step);
  };
  time.schedule(random.next() * 1000, step);
}

function finish(server: SimApiServer, name: string): void {
  const namespace = server.store.get('namespaces', name);
  if (namespace) server.store.delete('namespaces', namespace);
}
