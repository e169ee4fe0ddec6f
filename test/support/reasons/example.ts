// What one example of a reason produces, by the code that the operator runs: conditions, events and log lines.
import { createLogger } from '../../../src/lib/log.ts';
import { loggedEvents } from '../../../src/operator/logging.ts';
import type { ClusterPort, EventPort, Observer } from '../../../src/operator/ports.ts';
import type { StatusInput } from '../../../src/operator/report/policy-status.ts';
import { writePolicyStatus } from '../../../src/operator/scope/policy-status-writer.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../../src/policy/resources.ts';

type EmittedEvent = Parameters<EventPort['record']>[0];

/** The fields of a log line that its reader filters by. */
export interface ShownLine {
  readonly level: string;
  readonly msg: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly reason?: string;
}

export interface Produced {
  /** With its new status; undefined for an event without a status. */
  readonly object?: RoleAlertPolicy | AnyConnection;
  readonly events: readonly EmittedEvent[];
  readonly lines: readonly ShownLine[];
}

/** A logger and an event port whose output is kept. */
export function keeping(): {
  readonly log: ReturnType<typeof createLogger>;
  readonly events: EventPort;
  readonly kept: { events: EmittedEvent[]; lines: ShownLine[] };
} {
  const kept = { events: [] as EmittedEvent[], lines: [] as ShownLine[] };
  const write = (line: string) => void kept.lines.push(JSON.parse(line) as ShownLine);
  const log = createLogger({ level: 'info', format: 'json', sink: { write } });
  return {
    log,
    events: loggedEvents({ record: (event) => void kept.events.push(event) }, { namespaces: new Map() }, log),
    kept,
  };
}

/** Writes the status of this input over the one that the policy has. */
export async function produceStatus(input: StatusInput): Promise<Produced> {
  const { log, events, kept } = keeping();
  let object = input.policy;
  const cluster = {
    policies: { get: () => input.policy, list: () => [], remember: () => undefined },
    replacePolicyStatus: async (policy: RoleAlertPolicy, status: RoleAlertPolicy['status']) => {
      object = { ...policy, metadata: { ...policy.metadata, resourceVersion: '2' }, ...(status && { status }) };
      return object;
    },
  } as unknown as ClusterPort;
  const nothing = () => undefined;
  const observer = { statusWritten: nothing } as unknown as Observer;
  const deps = { cluster, events, observer, log, writing: new Map() };
  await writePolicyStatus(deps, input, new AbortController().signal);
  return { object, ...kept };
}
