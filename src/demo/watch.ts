// Watches the policies and events of the demo's namespace, and records the actions of users.
import { policyResource } from '../kube/custom-resources.ts';
import type { ObjectEvent } from '../kube/object-cache.ts';
import { createReflector, type Reflector } from '../kube/reflector.ts';
import type { KubeObject, KubeResource } from '../kube/resource.ts';
import type { KubeTransport } from '../kube/transport.ts';
import { cleanText } from '../lib/clean-text.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { systemRandom } from '../lib/random.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import { demoNamespace } from './manifests.ts';
import { compareEntries, userActions, type TimelineEntry } from './timeline.ts';

export interface DemoWatch {
  policy(name: string): RoleAlertPolicy | undefined;
  /** Oldest first. */
  entries(): readonly TimelineEntry[];
  /** Adds an entry without an event. */
  note(entry: TimelineEntry): void;
  stop(): Promise<void>;
}

interface KubeEvent extends KubeObject {
  readonly eventTime?: string | null;
  readonly reason?: string;
  readonly note?: string;
  readonly regarding?: { readonly name?: string };
}

const eventResource: KubeResource = { group: 'events.k8s.io', version: 'v1', plural: 'events' };

/** Starts to watch, and restarts the watch after every failure. */
export function startDemoWatch(transport: KubeTransport): DemoWatch {
  const entries: TimelineEntry[] = [];
  const note = (entry: TimelineEntry) => {
    entries.push(entry);
    entries.sort(compareEntries);
  };
  const policies = follow<RoleAlertPolicy>(transport, policyResource, (event) => {
    if (isNewlyHandled(event)) note(requestEntry(event.object));
  });
  const events = follow<KubeEvent>(transport, eventResource, ({ type, object }) => {
    if (type === 'added') note(entryOf(object));
  });
  return {
    policy: (name) => policies.get(`${demoNamespace}/${name}`),
    entries: () => entries,
    note,
    async stop() {
      await Promise.all([policies.stop(), events.stop()]);
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

function entryOf({ eventTime, reason = '', note = '', regarding }: KubeEvent): TimelineEntry {
  const atMs = Date.parse(eventTime ?? '');
  return {
    atMs: Number.isNaN(atMs) ? systemClock.now() : atMs,
    policy: cleanText(regarding?.name ?? ''),
    what: cleanText(reason),
    note: cleanText(note, 1024),
  };
}

/** True when the status newly contains the value of the annotation: the operator handled the request. */
function isNewlyHandled({ object, previous }: ObjectEvent<RoleAlertPolicy>): boolean {
  const handled = object.status?.lastHandledReconcileAt;
  return previous !== undefined && handled !== undefined && handled !== previous.status?.lastHandledReconcileAt;
}

function requestEntry({ metadata }: RoleAlertPolicy): TimelineEntry {
  const note = 'The operator handled a reconcile request.';
  return { atMs: systemClock.now(), policy: metadata.name, what: userActions.requested, note };
}
