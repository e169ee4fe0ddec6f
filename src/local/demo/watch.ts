// Watches the policies, connections and events of the demo's namespace.
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import { connectionResource, policyResource } from '../../operator/kube/custom-resources.ts';
import type { ObjectEvent } from '../../operator/kube/object-cache.ts';
import { createReflector, type Reflector } from '../../operator/kube/reflector.ts';
import type { KubeObject, KubeResource } from '../../operator/kube/resource.ts';
import type { KubeTransport } from '../../operator/kube/transport.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import { demoNamespace } from './manifests.ts';
import { compareEntries, entryOf, type TimelineEntry, type TimelineEvent } from './timeline.ts';

export interface DemoWatch {
  policy(name: string): RoleAlertPolicy | undefined;
  connection(name: string): RoleAlertConnection | undefined;
  /** One for each event, oldest first. */
  entries(): readonly TimelineEntry[];
  stop(): Promise<void>;
}

type KubeEvent = KubeObject & TimelineEvent;

const eventResource: KubeResource = { group: 'events.k8s.io', version: 'v1', plural: 'events' };

/** Starts to watch, and restarts the watch after every failure. */
export function startDemoWatch(transport: KubeTransport): DemoWatch {
  const entries: TimelineEntry[] = [];
  const policies = follow<RoleAlertPolicy>(transport, policyResource, () => undefined);
  const connections = follow<RoleAlertConnection>(transport, connectionResource, () => undefined);
  const events = follow<KubeEvent>(transport, eventResource, ({ type, object }) => {
    if (type !== 'added') return;
    entries.push(entryOf(object, systemClock.now()));
    entries.sort(compareEntries);
  });
  return {
    policy: (name) => policies.get(`${demoNamespace}/${name}`),
    connection: (name) => connections.get(`${demoNamespace}/${name}`),
    entries: () => entries,
    async stop() {
      await Promise.all([policies.stop(), connections.stop(), events.stop()]);
    },
  };
}

function follow<T extends KubeObject>(
  transport: KubeTransport,
  resource: KubeResource,
  onEvent: (event: ObjectEvent<T>) => void,
): Reflector<T> {
  const reflector = createReflector<T>({
    resource,
    namespaces: [demoNamespace],
    transport,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    handlers: { onEvent, onSynced: () => undefined },
  });
  reflector.start();
  return reflector;
}
