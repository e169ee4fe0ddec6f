// The demo's requests to its API server, which needs no kubectl: server-side apply, the table that kubectl prints, and watches.
import { sleep, systemClock } from '../../lib/clock.ts';
import { LocalError } from '../../lib/command-errors.ts';
import { isCoded, messageOf, StoppedError } from '../../lib/errors.ts';
import { arrayOf, booleanOf, numberOf, objectOf, stringOf } from '../../lib/json-shape.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import { alignColumns } from '../../lib/terminal-text.ts';
import { connectionResource, policyResource } from '../../operator/kube/custom-resources.ts';
import type { ObjectEvent } from '../../operator/kube/object-cache.ts';
import { createReflector, type Reflector } from '../../operator/kube/reflector.ts';
import {
  collectionPath,
  type KubeObject,
  type KubeResource,
  objectPath,
  queryOf,
} from '../../operator/kube/resource.ts';
import type { KubeRequest, KubeTransport } from '../../operator/kube/transport.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import { poll } from '../poll.ts';
import { demoNamespace, type DemoObject } from './manifests.ts';
import { compareEntries, entryOf, type TimelineEntry, type TimelineEvent } from './timeline.ts';

/** All methods throw `LocalError` when the API server refuses, and `StoppedError` once the demo is stopped. */
export interface DemoCluster {
  /** Creates or updates the object. */
  apply(object: DemoObject): Promise<void>;
  /** Resolves when the API server serves the resource, which follows the creation of its definition. */
  waitUntilServed(resource: KubeResource): Promise<void>;
  /** The columns and rows that `kubectl get` prints, which the API server computes. */
  table(resource: KubeResource, namespace: string): Promise<string>;
}

const manager = queryOf({ fieldManager: 'rolealerts-demo', force: true });
const servedWithinMs = 30_000;
/** Ctrl-C also ends the operator, and may end a request before this process handles the signal. */
const signalDelayMs = 100;

export function createDemoCluster(transport: KubeTransport, stopping: AbortSignal): DemoCluster {
  const request = async (what: string, facts: KubeRequest): Promise<unknown> => {
    refuseIfStopped(stopping);
    try {
      return await transport.request<unknown>({ ...facts, signal: stopping });
    } catch (cause) {
      await sleep(systemClock, signalDelayMs, stopping);
      refuseIfStopped(stopping);
      const detail = isCoded(cause) ? cause.detail : undefined;
      throw new LocalError(`Cannot ${what}: ${detail ?? messageOf(cause)}`, { cause });
    }
  };
  return {
    async apply(object) {
      const { name, namespace } = object.metadata;
      await request(`apply ${object.kind} ${name}`, {
        verb: 'patch',
        path: `${objectPath(resourceOf(object), namespace, name)}${manager}`,
        // JSON is YAML.
        contentType: 'application/apply-patch+yaml',
        body: JSON.stringify(object),
      });
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
    async table(resource, namespace) {
      const path = collectionPath(resource, namespace);
      return renderServerTable(await request(`list ${resource.plural}`, { verb: 'list', path, answer: 'table' }));
    },
  };
}

/** Throws `StoppedError` once the user has stopped the demo. */
export function refuseIfStopped(stopping: AbortSignal): void {
  if (stopping.aborted) throw new StoppedError('The demo was stopped.');
}

/** The columns that kubectl shows without `--output=wide`, separated by three spaces as kubectl does. */
export function renderServerTable(table: unknown): string {
  const { columnDefinitions, rows } = objectOf(table);
  const columns = arrayOf(columnDefinitions).map(objectOf);
  const shown = columns.flatMap(({ priority }, index) => (priority === 0 ? [index] : []));
  const lines = [
    shown.map((index) => textOf(columns[index]?.['name']).toUpperCase()),
    ...arrayOf(rows).map((row) => {
      const cells = arrayOf(objectOf(row)['cells']);
      return shown.map((index) => textOf(cells[index]));
    }),
  ];
  return `${alignColumns(lines).join('\n')}\n`;
}

function textOf(cell: unknown): string {
  return stringOf(cell) ?? String(numberOf(cell) ?? booleanOf(cell) ?? '');
}

/** The plural of every kind that the demo applies follows from its name. */
function resourceOf({ apiVersion, kind }: DemoObject): KubeResource {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { group, version, plural: `${kind.toLowerCase().replace(/y$/, 'ie')}s` };
}

/** The policies, connections and events of the demo's namespace. */
export interface DemoWatch {
  policy(name: string): RoleAlertPolicy | undefined;
  connection(name: string): RoleAlertConnection | undefined;
  /** One for each event, oldest first. */
  entries(): readonly TimelineEntry[];
  stop(): Promise<void>;
}

/** Starts to watch, and restarts the watch after every failure. */
export function startDemoWatch(transport: KubeTransport): DemoWatch {
  const entries: TimelineEntry[] = [];
  const policies = follow<RoleAlertPolicy>(transport, policyResource);
  const connections = follow<RoleAlertConnection>(transport, connectionResource);
  const eventResource = { group: 'events.k8s.io', version: 'v1', plural: 'events' };
  const events = follow<KubeObject & TimelineEvent>(transport, eventResource, ({ type, object }) => {
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
