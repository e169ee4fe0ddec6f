// The demo's requests to its API server, which needs no kubectl: server-side apply, and the table that kubectl prints.
import { sleep, systemClock } from '../../lib/clock.ts';
import { alignColumns } from '../../lib/columns.ts';
import { LocalError } from '../../lib/command-errors.ts';
import { isCoded, messageOf } from '../../lib/errors.ts';
import { arrayOf, booleanOf, numberOf, objectOf, stringOf } from '../../lib/json-shape.ts';
import { collectionPath, objectPath, queryOf, type KubeResource } from '../../operator/kube/resource.ts';
import type { KubeRequest, KubeTransport } from '../../operator/kube/transport.ts';
import { poll } from '../poll.ts';
import { type DemoHost, refuseIfStopped } from './demo-host.ts';

/** An object to apply. Without a namespace it is cluster-scoped. */
export interface DemoObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  /** `spec`, `roleRef` and the like. */
  readonly [member: string]: unknown;
}

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

export function createDemoCluster(transport: KubeTransport, host: DemoHost): DemoCluster {
  const request = async (what: string, facts: KubeRequest): Promise<unknown> => {
    refuseIfStopped(host);
    try {
      return await transport.request<unknown>({ ...facts, signal: host.stopping });
    } catch (cause) {
      await sleep(systemClock, signalDelayMs, host.stopping);
      refuseIfStopped(host);
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
      const options = { clock: systemClock, withinMs: servedWithinMs, everyMs: 50, signal: host.stopping };
      const served = await poll(options, async () =>
        (await transport.send({ verb: 'list', path, signal: host.stopping })).status === 200 ? true : undefined,
      );
      refuseIfStopped(host);
      if (!served)
        throw new LocalError(`The API server does not serve ${resource.plural} after ${servedWithinMs / 1000} s`);
    },
    async table(resource, namespace) {
      const path = collectionPath(resource, namespace);
      return renderServerTable(await request(`list ${resource.plural}`, { verb: 'list', path, answer: 'table' }));
    },
  };
}

/** The columns that kubectl shows without `--output=wide`, separated by three spaces as kubectl does. */
export function renderServerTable(table: unknown): string {
  const { columnDefinitions, rows } = objectOf(table);
  const columns = arrayOf(columnDefinitions).map(objectOf);
  const shown = columns.flatMap(({ priority }, index) => (priority === 0 ? [index] : []));
  const titles = shown.map((index) => textOf(columns[index]?.['name']).toUpperCase());
  const lines = arrayOf(rows).map((row) => {
    const cells = arrayOf(objectOf(row)['cells']);
    return shown.map((index) => textOf(cells[index]));
  });
  return alignColumns([titles, ...lines])
    .map((line) => `${line}\n`)
    .join('');
}

function textOf(cell: unknown): string {
  return stringOf(cell) ?? String(numberOf(cell) ?? booleanOf(cell) ?? '');
}

/** The plural of every kind that the demo applies follows from its name. */
function resourceOf({ apiVersion, kind }: DemoObject): KubeResource {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const plural = kind.toLowerCase().replace(/y$/, 'ie');
  return { group, version, plural: `${plural}s` };
}
