// The demo's requests to its API server, which needs no kubectl: server-side apply, and watches.
import { sleep, systemClock } from '../../lib/clock.ts';
import { LocalError } from '../../lib/command-errors.ts';
import { isCoded, messageOf, StoppedError } from '../../lib/errors.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import { policyResource } from '../../operator/kube/custom-resources.ts';
import type { ObjectEvent } from '../../operator/kube/object-cache.ts';
import { createReflector, type Reflector } from '../../operator/kube/reflector.ts';
import {
  collectionPath,
  type KubeObject,
  type KubeResource,
  objectPath,
  queryOf,
} from '../../operator/kube/resource.ts';
import type { KubeTransport } from '../../operator/kube/transport.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { poll } from '../long-steps.ts';
import { demoNamespace, type DemoObject } from './manifests.ts';
import { compareEntries, entryOf, type TimelineEntry, type TimelineEvent } from './timeline.ts';

/** All methods throw `LocalError` when the API server refuses, and `StoppedError` once the demo is stopped. */
export interface DemoCluster {
  /** Creates or updates the object. */
  apply(object: DemoObject): Promise<void>;
  /** Resolves when the API server serves the resource, which follows the creation of its definition. */
  waitUntilServed(resource: KubeResource): Promise<void>;
}

const manager = queryOf({ fieldManager: 'rolealerts-demo', force: true });
const servedWithinMs = 30_000;
/** Ctrl-C also ends the operator, and may end a request before this process handles the signal. */
const signalDelayMs = 100;

export function createDemoCluster(transport: KubeTransport, stopping: AbortSignal): DemoCluster {
  return {
    async apply(object) {
      const { name, namespace } = object.metadata;
      refuseIfStopped(stopping);
      try {
        await transport.request<unknown>({
          verb: 'patch',
          path: `${objectPath(resourceOf(object), namespace, name)}${manager}`,
          // JSON is YAML.
          contentType: 'application/apply-patch+yaml',
          body: JSON.stringify(object),
          signal: stopping,
        });
      } catch (cause) {
        await sleep(systemClock, signalDelayMs, stopping);
        refuseIfStopped(stopping);
        const detail = isCoded(cause) ? cause.detail : undefined;
        throw new LocalError(`Cannot apply ${object.kind} ${name}: ${detail ?? messageOf(cause)}`, { cause });
      }
    },
    async waitUntilServed(resource) {
      const path = `${collectionPath(resource, undefined)}${queryOf({ limit: 1 })}`;
      const options = { clock: systemClock, withinMs: servedWithinMs, everyMs: 50, signal: stopping };
      const served = await poll(options, async () =>
        (await transport.send({ verb: 'list', path, signal: stopping })).status === 200 ? true : undefined,
      );
      refuseIfStopped(stopping);
      if (!served)
        throw new LocalError(`The API server does not serve ${resource.plural} after ${servedWithinMs / 1000} s`);
    },
  };
}

/** Throws `StoppedError` once the user has stopped the demo. */
export function refuseIfStopped(stopping: AbortSignal): void {
  if (stopping.aborted) throw new StoppedError('The demo was stopped.');
}

/** The plural of every kind that the demo applies follows from its name. */
function resourceOf({ apiVersion, kind }: DemoObject): KubeResource {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { group, version, plural: `${kind.toLowerCase().replace(/y$/, 'ie')}s` };
}

/** The policies and events of the demo's namespace. */
export interface DemoWatch {
  policy(name: string): RoleAlertPolicy | undefined;
  /** One for each event, oldest first. */
  entries(): readonly TimelineEntry[];
  stop(): Promise<void>;
}

/** Starts to watch, and restarts the watch after every failure. */
export function startDemoWatch(transport: KubeTransport): DemoWatch {
  const entries: TimelineEntry[] = [];
  const policies = follow<RoleAlertPolicy>(transport, policyResource);
  const eventResource = { group: 'events.k8s.io', version: 'v1', plural: 'events' };
  const events = follow<KubeObject & TimelineEvent>(transport, eventResource, ({ type, object }) => {
    if (type !== 'added') return;
    entries.push(entryOf(object, systemClock.now()));
    entries.sort(compareEntries);
  });
  return {
    policy: (name) => policies.get(`${demoNamespace}/${name}`),
    entries: () => entries,
    async stop() {
      await Promise.all([policies.stop(), events.stop()]);
    },
  };
}

function follow<T extends KubeObject>(
  transport: KubeTransport,
  resource: KubeResource,
  onEvent: (event: ObjectEvent<T>) => void = () => undefined,
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
