import { connectionPlurals, keyAnywhere, resourcesOf } from './kube/connection-keys.ts';
// Connections that were deleted while a process ran that still runs: that process has to activate the alerts that they deactivated
// again, however long that takes.
import { consentOf, secretOf } from './kube/consent.ts';
import type { StoredObject } from './kube/object.ts';
import type { World } from './world.ts';

interface Deleted {
  readonly connection: StoredObject;
  /** The process that was at work. */
  readonly worker: string;
}

export class Deletions {
  readonly #world: World;
  /** By uid. */
  readonly #deleted = new Map<string, Deleted>();
  #holder = '';

  constructor(world: World) {
    this.#world = world;
    world.api.onWrite.push(({ process }, { resource }, { spec = {} }) => {
      if (resource.plural === 'leases') this.#holder = spec['holderIdentity'] === '' ? '' : process;
    });
    world.api.store.onChange(({ plural, type, object, previous }) => {
      const deleted = type === 'DELETED' ? object : undefined;
      if (connectionPlurals.includes(plural) && deleted) this.#note(previous ?? deleted);
    });
  }

  /** The connection as it was, while the process that has to end its dismissals runs; undefined when the Secret went as well. */
  reactivationDueOf(uid: string): StoredObject | undefined {
    const deleted = this.#deleted.get(uid);
    const replica = this.#world.replicas.find(({ name }) => name === deleted?.worker);
    const isAtWork = replica?.isAlive === true && (!replica.isElecting || this.#holder === replica.name);
    return isAtWork ? deleted?.connection : undefined;
  }

  #note(connection: StoredObject): void {
    const { replicas } = this.#world;
    const worker = replicas.find(
      ({ name, isAlive, isElecting }) => isAlive && (isElecting ? name === this.#holder : true),
    );
    // A process that has just started may not have received the connection yet.
    const isKnown = worker && this.#world.knowledge.ofConnection(worker.name, keyAnywhere(connection)) !== undefined;
    if (isKnown && this.#hasCredential(connection))
      this.#deleted.set(connection.metadata.uid, { connection, worker: worker.name });
  }

  #hasCredential(connection: StoredObject): boolean {
    const { store } = this.#world.api;
    const namespace = store.get('namespaces', resourcesOf(connection));
    if (namespace?.metadata.deletionTimestamp !== undefined) return false;
    return secretOf(store, connection) !== undefined || consentOf(store, connection) !== undefined;
  }
}
