// Every version of every policy and connection of a namespace, recorded by a watch of its own, and the oracles over them:
// how GitOps tools would have interpreted each status at that time. Independent of src/.
import { Agent, request } from 'undici';

import type { ApiServer } from '../rigs/kube-requests.ts';
import type { ListedAlerts } from '../servers/service-proxy.ts';
import { kstatusOf } from './kstatus.ts';

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
  readonly alerts?: readonly DeclaredAlert[];
  readonly unlisted: { readonly state: string; readonly minSeverity?: string };
}

interface DeclaredAlert {
  readonly name: string;
  readonly state: string;
  readonly dismissal?: {
    readonly incidents?: readonly string[];
    readonly maxIncidents?: number;
    readonly until?: string;
  };
}

export interface StatusRecorder {
  /** All versions in the order of the watch. */
  readonly versions: readonly Recorded[];
  /** The newest version; undefined before there was one and once it is deleted. */
  latest(kind: Kind, name: string): Recorded | undefined;
  /** The violations that the oracles found. */
  readonly violations: readonly string[];
  stop(): Promise<void>;
}

type Kind = 'RoleAlertPolicy' | 'RoleAlertConnection';

const plurals = ['rolealertpolicies', 'rolealertconnections'] as const;

/** `lists` are the whole lists of a scope so far; undefined where no proxy is between operator and service. */
export async function startStatusRecorder(
  server: ApiServer,
  namespace: string,
  lists: ((scope: string) => readonly ListedAlerts[]) | undefined,
): Promise<StatusRecorder> {
  const versions: Recorded[] = [];
  const violations: string[] = [];
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
    violations.push(...structuralViolations(object));
    if (object.kind === 'RoleAlertPolicy') violations.push(...decisionViolations(object, lists?.(object.spec.scope)));
  }

  const base = `${server.url}/apis/rolealerts.dev/v1alpha1/namespaces/${namespace}`;
  const follow = (plural: string) =>
    followForEver({ agent, server, url: `${base}/${plural}`, take, stopping: stopping.signal });
  const running = plurals.map(follow);
  return {
    versions,
    violations,
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

/** Holds for every version, whatever happened. */
export function structuralViolations(object: Recorded): string[] {
  const { conditions = [], observedGeneration } = object.status;
  const is = (type: string) => conditions.find((condition) => condition.type === type);
  const found: string[] = [];
  for (const type of ['Reconciling', 'Stalled']) {
    const condition = is(type);
    if (condition && condition.status !== 'True') found.push(`${type} is there and not True`);
  }
  if (is('Reconciling') && is('Stalled')) found.push('Reconciling and Stalled are there together');
  if (observedGeneration > object.metadata.generation) found.push('observedGeneration is ahead of the generation');
  const ready = is('Ready');
  const isCurrent = kstatusOf(object) === 'Current';
  if (isCurrent && ready?.status !== 'True') found.push('Current without Ready=True');
  if (isCurrent && ready?.observedGeneration !== object.metadata.generation) {
    found.push('Current although Ready speaks of an older spec');
  }
  // A connection has its ledger, up to 256 KiB, and its recent deactivations.
  const mostKiB = object.kind === 'RoleAlertPolicy' ? 64 : 384;
  const { length } = new TextEncoder().encode(JSON.stringify(object.status));
  if (length >= mostKiB * 1024) found.push(`status of ${mostKiB} KiB or more`);
  return found.map((what) => describe(object, what));
}

/** Holds at the moment a status was written: what it claims was so in the lists that came before. */
export function decisionViolations(policy: Recorded, lists: readonly ListedAlerts[] | undefined): string[] {
  if (kstatusOf(policy) !== 'Current' || lists === undefined) return [];
  const reason = policy.status.conditions?.find(({ type }) => type === 'Ready')?.reason;
  // The watch is asynchronous: the list after the one that was decided from may have come already.
  const last = lists.slice(-2);
  switch (reason) {
    case 'Succeeded':
      return last.some((list) => agrees(policy.spec, list)) ? [] : [describe(policy, 'Succeeded, and no list agreed')];
    case 'Observed':
    case 'WaitingForWindow':
      return last.length > 0 ? [] : [describe(policy, `${reason} before there was a list`)];
    case 'Suspended':
      return policy.spec.suspend ? [] : [describe(policy, 'Suspended although it is not')];
    default:
      return [describe(policy, `Current with the reason ${reason}`)];
  }
}

function agrees(spec: PolicySpec, list: ListedAlerts): boolean {
  const declared = spec.alerts ?? [];
  const names = new Set(declared.map(({ name }) => name.toLowerCase()));
  return (
    declared.every((alert) => declaredAgrees(alert, list)) &&
    [...list].every(([name, alert]) => names.has(name) || !isGuarded(spec, alert.severity) || alert.isActive)
  );
}

/** How long a status may be on its way on a busy machine. */
const arrivalMs = 60_000;

function declaredAgrees({ name, state, dismissal }: DeclaredAlert, list: ListedAlerts): boolean {
  const listed = list.get(name.toLowerCase());
  if (state === 'Active') return listed?.isActive === true;
  if (!listed) return true;
  const { incidents, maxIncidents, until } = dismissal ?? {};
  const overMs = until === undefined ? -Infinity : Date.now() - Date.parse(until);
  // The status may be decided before the end and arrive after it.
  if (overMs >= 0 && overMs < arrivalMs) return true;
  const isOver = overMs >= 0;
  const covered = new Set(incidents?.map((id) => id.toLowerCase()));
  const isBroken =
    (maxIncidents !== undefined && listed.incidentCount > maxIncidents) ||
    (incidents !== undefined && !listed.incidents.every((id) => covered.has(id)));
  return listed.isActive === (isOver || isBroken);
}

const severities = ['Low', 'Medium', 'High'];

function isGuarded({ unlisted }: PolicySpec, severity: string): boolean {
  const least = severities.indexOf(unlisted.minSeverity ?? 'Low');
  return unlisted.state === 'Active' && severities.indexOf(severity) >= least;
}

function describe({ kind, metadata, status }: Recorded, what: string): string {
  return `${kind} ${metadata.name}@${metadata.resourceVersion}: ${what}: ${JSON.stringify(status)}`;
}
