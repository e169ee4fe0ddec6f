// Every version of every policy and connection of a namespace, recorded by a watch of its own. Independent of src/. The oracles of the
// simulation judge what statuses say.
import { Agent, request } from 'undici';

import type { ApiServer } from '../rigs/kube-requests.ts';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
}

/** A policy or a connection, as loose as the tests need it. */
export interface Recorded {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly creationTimestamp: string;
    readonly generation: number;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: PolicySpec;
  readonly status: {
    readonly observedGeneration: number;
    readonly lastHandledReconcileAt?: string;
    readonly effective?: Readonly<Record<string, string>>;
    readonly conditions?: readonly Condition[];
    readonly summary?: Readonly<Record<string, unknown>>;
    readonly alerts?: readonly Readonly<Record<string, unknown>>[];
    readonly history?: readonly Readonly<Record<string, unknown>>[];
    readonly dismissals?: readonly { readonly scope: string; readonly alert: string; readonly policy: string }[];
    readonly policies?: number;
    readonly scopes?: number;
    readonly predictedRequestsPerHour?: number;
  };
}

interface PolicySpec {
  readonly scope: string;
  readonly suspend: boolean;
  readonly mode: string;
}

export interface StatusRecorder {
  /** All versions in the order of the watch. */
  readonly versions: readonly Recorded[];
  /** The newest version; undefined before there was one and once it is deleted. */
  latest(kind: Kind, name: string): Recorded | undefined;
  stop(): Promise<void>;
}

type Kind = 'RoleAlertPolicy' | 'RoleAlertConnection';

const plurals = ['rolealertpolicies', 'rolealertconnections'] as const;

export async function startStatusRecorder(server: ApiServer, namespace: string): Promise<StatusRecorder> {
  const versions: Recorded[] = [];
  const current = new Map<string, Recorded>();
  const stopping = new AbortController();
  const agent = new Agent({ connect: { ca: server.certificateAuthority }, bodyTimeout: 0 });

  function take(type: string, object: Recorded): void {
    const key = `${object.kind}/${object.metadata.name}`;
    const before = current.get(key);
    if (type === 'DELETED') current.delete(key);
    else current.set(key, object);
    if (type === 'DELETED' || before?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    versions.push(object);
  }

  const base = `${server.url}/apis/rolealerts.dev/v1alpha1/namespaces/${namespace}`;
  const follow = (plural: string) =>
    followForEver({ agent, server, url: `${base}/${plural}`, take, stopping: stopping.signal });
  const running = plurals.map(follow);
  return {
    versions,
    latest: (kind, name) => current.get(`${kind}/${name}`),
    async stop() {
      stopping.abort();
      await agent.destroy();
      await Promise.all(running);
    },
  };
}

interface Following {
  readonly agent: Agent;
  readonly server: ApiServer;
  readonly url: string;
  readonly take: (type: string, object: Recorded) => void;
  readonly stopping: AbortSignal;
}

/** Watches from the last version seen on, over every end of the connection. */
async function followForEver({ agent, server, url, take, stopping }: Following): Promise<void> {
  let resourceVersion = '';
  while (!stopping.aborted) {
    try {
      const { body } = await request(`${url}?watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}`, {
        dispatcher: agent,
        headers: { authorization: `Bearer ${server.adminToken.reveal()}` },
        signal: stopping,
      });
      let rest = '';
      for await (const chunk of body.setEncoding('utf8')) {
        const lines = `${rest}${String(chunk)}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const { type, object } = JSON.parse(line) as { type: string; object: Recorded };
          // Too old after a restart of the API server: the watch repeats every object, and known versions count once.
          resourceVersion = type === 'ERROR' ? '' : object.metadata.resourceVersion;
          if (type === 'ERROR') throw new Error(line);
          if (type !== 'BOOKMARK') take(type, object);
        }
      }
    } catch {
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
  }
}
