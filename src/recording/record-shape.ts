// The shape of a record, as far as a replay relies on it.
import { factKinds } from '../plan/facts.ts';
import { actionCauses } from '../plan/memory.ts';
import { policyShape, policyStatus } from '../policy/resource-shapes.ts';
import { anyText, flag, listOf, members, oneOf, type Shape, text } from '../policy/shape.ts';
import { recordVersion } from './encoded-record.ts';

const number: Shape = (json) => (typeof json === 'number' ? undefined : '');
const version: Shape = (json) => (json === recordVersion ? undefined : '');
const anyActor = text;

/** `[name, value]`, as the entries of a map. */
const pairsOf = (value: Shape): Shape =>
  listOf((json) => (Array.isArray(json) && json.length === 2 ? (anyText(json[0]) ?? value(json[1])) : ''));

const gate = oneOf('Allow', 'Deny');

const grant = members({
  list: oneOf('Allow', 'Deny', 'Unknown'),
  mode: oneOf('Observe', 'Enforce'),
  deactivation: gate,
  unlisted: gate,
  maxDismissalMs: number,
});

const policy: Shape = (json) => policyShape(json) ?? statusOf(json);
const statusOf = members({}, { status: policyStatus });

const policyInput = members({
  policy,
  key: text,
  isSuspended: flag,
  grant,
});

const alert = members(
  {
    name: anyText,
    isActive: flag,
    incidentCount: number,
    incidents: listOf(members({ id: anyText, type: anyText })),
    lastActor: text,
  },
  {
    severity: anyText,
    isScanned: flag,
    modifiedAtMs: number,
    scannedAtMs: number,
    systemModifiedAtMs: number,
  },
);

const ledgerEntry = members(
  { scope: text, alert: text, policy: anyText, since: text },
  { until: text, incidents: number, maxIncidents: number, missingSince: text },
);

const sentWrite = members(
  { isActive: flag, sentAtMs: number, cause: oneOf(...actionCauses), actor: anyActor, tries: number },
  {
    policyKey: text,
    neverWritten: flag,
    failure: members({ kind: oneOf('Refused', 'Unreachable'), retryAtMs: number }, { serviceCode: anyText }),
  },
);

const input = members(
  {
    nowMs: number,
    isReadOnly: flag,
    intervalMs: number,
    policies: listOf(policyInput),
    alerts: listOf(alert),
    ledger: listOf(ledgerEntry),
    unproven: listOf(anyText),
    deactivated: listOf(anyText),
    ledgerRoom: number,
    deactivationsLeft: number,
    sent: pairsOf(sentWrite),
    activationBackoffs: pairsOf(members({ count: number, lastMs: number })),
    recentDeactivations: pairsOf(listOf(number)),
  },
  { nextDeactivationMs: number, deactivationsByNamespace: pairsOf(number) },
);

const fact = members({ kind: oneOf(...factKinds), value: text }, { policy: text, alert: anyText });

export const recordShape = members({
  version,
  program: text,
  connection: text,
  scope: text,
  input,
  facts: listOf(fact),
});
