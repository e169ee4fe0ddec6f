// The metrics that describe policies and connections, computed at a scrape from the objects in the caches and kept nowhere: they cost a
// reconcile nothing, and their series end with the objects. A metric of a list or of its counts has no series for a policy that was never
// listed.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AlertStatus, PolicySummary } from '../../policy/generated/role-alert-policy.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import { severityName } from '../../policy/severity.ts';
import { isSuspended, suspensionEndMs } from '../../policy/suspension.ts';
import { type DismissalInForce, dismissalsInForce } from '../dismissals/register.ts';

interface ObjectFacts {
  readonly clock: Clock;
  /** When the oldest write was sent through the connection that no list has verified, in milliseconds since 1970. */
  readonly unverifiedSinceMs: (connection: AnyConnection) => number | undefined;
}

type ServedObject = RoleAlertPolicy | AnyConnection;

/** The labels that every series of an object has. */
export const objectLabelNames = ['namespace', 'name'] as const;

export function objectFamilies({ clock, unverifiedSinceMs }: ObjectFacts): readonly ObjectFamily[] {
  return [
    conditionFamily('policy', ({ policies }) => policies),
    conditionFamily('connection', ({ connections }) => connections),
    ...policyFamilies(clock),
    {
      name: 'rolealerts_incidents',
      help: 'Incidents of an alert that a policy declares, except of a dismissed one. Those that it only guards count together as unlisted.',
      labelNames: [...objectLabelNames, 'alert', 'severity'],
      samples: ({ policies }) => samplesOf(policies, incidentSamples),
    },
    {
      name: 'rolealerts_dismissal_end_timestamp_seconds',
      help: 'Unix time at which a dismissal in force ends. One without an end has no series.',
      labelNames: [...objectLabelNames, 'policy_namespace', 'policy_name', 'scope', 'alert', 'deactivated_by'],
      samples: ({ policies, connections }) =>
        dismissalsInForce(policies, connections, clock.now()).flatMap(dismissalSample),
    },
    {
      name: 'rolealerts_connection_oldest_unverified_write_timestamp_seconds',
      help: 'Unix time of the oldest PATCH that no list has verified. Without such a PATCH there is no series.',
      labelNames: objectLabelNames,
      samples: ({ connections }) =>
        samplesOf(connections, (connection) => {
          const sinceMs = unverifiedSinceMs(connection);
          return sinceMs === undefined ? [] : [sampleOf(connection, sinceMs / 1000)];
        }),
    },
  ];
}

function conditionFamily(
  kind: 'policy' | 'connection',
  read: (objects: Parameters<ObjectFamily['samples']>[0]) => Iterable<ServedObject>,
): ObjectFamily {
  return {
    name: `rolealerts_${kind}_condition`,
    help: `1 for the current status and reason of each condition of the ${kind}. Other statuses and reasons have no series.`,
    labelNames: [...objectLabelNames, 'type', 'status', 'reason'],
    samples: (objects) => samplesOf(read(objects), conditionSamples),
  };
}

function policyFamilies(clock: Clock): readonly ObjectFamily[] {
  const family = (
    name: string,
    help: string,
    valueOf: (policy: RoleAlertPolicy) => number | undefined,
  ): ObjectFamily => ({
    name: `rolealerts_policy_${name}`,
    help,
    labelNames: objectLabelNames,
    samples: ({ policies }) =>
      samplesOf(policies, (policy) => {
        const value = valueOf(policy);
        return value === undefined ? [] : [sampleOf(policy, value)];
      }),
  });
  const fromSummary = (valueOf: (summary: PolicySummary) => number) => (policy: RoleAlertPolicy) =>
    policy.status?.summary && valueOf(policy.status.summary);
  return [
    family('suspended', '1 while the policy is suspended, 0 otherwise.', ({ spec }) =>
      isSuspended(spec, clock.now()) ? 1 : 0,
    ),
    family(
      'suspension_end_timestamp_seconds',
      'Unix time at which the suspension of the policy ends. A suspension without an end has no series.',
      ({ spec }) => {
        const endMs = suspensionEndMs(spec);
        return endMs !== undefined && clock.now() < endMs ? endMs / 1000 : undefined;
      },
    ),
    family(
      'incidents',
      'Incidents of the alerts that the policy declares or guards, dismissed alerts included.',
      fromSummary(({ incidents }) => incidents),
    ),
    family(
      'dismissed_alerts',
      'Alerts that the policy declares Inactive and that are inactive.',
      fromSummary(({ dismissed }) => dismissed),
    ),
    family(
      'drifted_alerts',
      'Declared alerts that are not in sync, including those that the service does not list.',
      fromSummary(({ declared, inSync }) => declared - inSync),
    ),
  ];
}

function* samplesOf<T>(objects: Iterable<T>, samples: (object: T) => Iterable<LabelledValue>): Iterable<LabelledValue> {
  for (const object of objects) yield* samples(object);
}

function sampleOf(object: ServedObject, value: number, labels: Record<string, string> = {}): LabelledValue {
  const { namespace = '', name } = object.metadata;
  return { labels: { namespace, name, ...labels }, value };
}

function conditionSamples(object: ServedObject): LabelledValue[] {
  const { conditions = [] } = object.status ?? {};
  return conditions.map(({ type, status, reason }) => sampleOf(object, 1, { type, status, reason }));
}

/** The alerts that a policy only guards count together: the service chooses their names, as many as it likes. */
function incidentSamples(policy: RoleAlertPolicy): Iterable<LabelledValue> {
  const declared = new Map(policy.spec.alerts?.map(({ name }) => [canonicalName(name), name]));
  const samples = new Map<string, LabelledValue>();
  for (const { name, severity, incidents } of policy.status?.alerts?.filter(isReported) ?? []) {
    const labels = { alert: declared.get(canonicalName(name)) ?? 'unlisted', severity: severityName(severity) };
    const key = Object.values(labels).join();
    samples.set(key, sampleOf(policy, incidents.total + (samples.get(key)?.value ?? 0), labels));
  }
  return samples.values();
}

function dismissalSample({
  connection,
  policy,
  scope,
  alert,
  until,
  deactivatedBy,
}: DismissalInForce): LabelledValue[] {
  // The operator reads every connection: one that it does not know does not exist, and has no series.
  if (until === undefined || deactivatedBy === 'Unknown') return [];
  const [namespace = '', name = ''] = connection.split('/');
  const [policy_namespace = '', policy_name = ''] = policy.split('/');
  const labels = { namespace, name, policy_namespace, policy_name, scope, alert, deactivated_by: deactivatedBy };
  return [{ labels, value: Date.parse(until) / 1000 }];
}

/** A listed alert that the policy declares or guards. A dismissal that is in effect covers the incidents of its alert. */
function isReported({ want, live }: AlertStatus): boolean {
  return live !== 'Missing' && (want === 'Active' || (want === 'Inactive' && live === 'Active'));
}

/** The objects of one scrape. */
interface ServedObjects {
  readonly policies: readonly RoleAlertPolicy[];
  readonly connections: readonly AnyConnection[];
}

interface LabelledValue {
  /** In the order of the names of the family. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A gauge, and its series. */
export interface ObjectFamily {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Yields each combination of labels at most once. */
  readonly samples: (objects: ServedObjects) => Iterable<LabelledValue>;
}

const partLength = 65_536;

/**
 * Parts of about 64 Ki characters, each of whole lines. prom-client would build objects and one text for all series, which took 180 MiB
 * for 10,000 policies.
 */
export function* renderFamilies(families: readonly ObjectFamily[], objects: ServedObjects): Iterable<string> {
  let part = '';
  for (const { name, help, samples } of families) {
    part += `# HELP ${name} ${help}\n# TYPE ${name} gauge\n`;
    for (const { labels, value } of samples(objects)) {
      part += `${name}{${renderLabels(labels)}} ${value}\n`;
      if (part.length < partLength) continue;
      yield part;
      part = '';
    }
  }
  yield part;
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  let text = '';
  for (const name of Object.keys(labels))
    text += `${text === '' ? '' : ','}${name}="${escapeLabel(labels[name] ?? '')}"`;
  return text;
}

function escapeLabel(text: string): string {
  return /[\\"\n]/.test(text)
    ? text
        .replaceAll('\\', String.raw`\\`)
        .replaceAll('\n', String.raw`\n`)
        .replaceAll('"', String.raw`\"`)
    : text;
}
