// Builds the data of a preview from planned scopes: what changes and why, why a planned scope keeps an alert as it is, and why a scope is not
// planned. The sentences are those of the conditions that the operator would write.
import { isAlertsError } from '../../alerts/alerts-error.ts';
import { sameName } from '../../alerts/resource-id.ts';
import { cleanText } from '../../lib/clean-text.ts';
import { nearestOf } from '../../lib/compare-text.ts';
import { counted } from '../../lib/counted.ts';
import type { CodedError } from '../../lib/errors.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type {
  Action,
  AlertDecision,
  Plan,
  PlanInput,
  PolicyDecision,
  PolicyInput,
} from '../../operator/decide/decisions.ts';
import { failureOf } from '../../operator/decide/failures.ts';
import {
  connectionName,
  factsOfConnection,
  factsOfPolicy,
  type MessageFacts,
} from '../../operator/reasons/message-facts.ts';
import { conditionMessage, type PolicyReason } from '../../operator/reasons/reasons.ts';
import { missingAlerts } from '../../operator/report/alert-status.ts';
import { conditionsOfDecisions, inSyncNotes } from '../../operator/report/condition-set.ts';
import { effectiveSettings } from '../../operator/report/policy-status.ts';
import { connectionKeyOf, partsOfConnectionKey } from '../../policy/connection-key.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import type { ScopeRef } from '../../policy/scope-ref.ts';
import type { WantSource } from '../../policy/wants.ts';
import type { FailedListing, PlannedScope, TokenPlace } from './planned-scope.ts';
import type {
  Preview,
  PreviewChange,
  PreviewContext,
  PreviewNote,
  ScopePreview,
  SentActivation,
  ShownDismissal,
} from './preview.ts';

export function previewOf(planned: readonly PlannedScope[], context: PreviewContext): Preview {
  return { ...context, scopes: planned.map((each) => scopePreview(each, context)) };
}

function scopePreview(scope: PlannedScope, context: PreviewContext): ScopePreview {
  const { ref, policies, denied, planned } = scope;
  const all = [...policies, ...denied];
  return {
    ...ref,
    policies: all.map(({ key }) => key),
    changes: planned
      ? planned.plan.actions.map((action) => changeOf(action, planned, sentOf(ref, action, context)))
      : [],
    notes: [...deniedNotes(scope, context), ...(planned ? decisionNotes(planned) : unplannedNotes(scope, context))],
  };
}

function unplannedNotes(scope: PlannedScope, context: PreviewContext): readonly PreviewNote[] {
  const { listing } = scope;
  const isFailed = listing !== undefined && 'error' in listing;
  return isFailed ? [failureNote(scope, listing, context)] : unlistedNotes(scope, context);
}

function sentOf(ref: ScopeRef, { alert, isActive }: Action, { sent = [] }: PreviewContext): SentActivation | undefined {
  const isOf = (each: SentActivation) =>
    each.connection === ref.connection && each.scope === ref.scope && each.alert === alert;
  return isActive ? sent.find(isOf) : undefined;
}

function errorSentence({ message, serviceCode }: CodedError): string {
  return serviceCode === undefined ? message : `${message} (error code ${serviceCode})`;
}

function changeOf(action: Action, { input, plan }: Planned, sent: SentActivation | undefined): PreviewChange {
  const decision = decisionOf(action, plan);
  const policy = input.policies.find(({ key }) => key === action.policyKey)?.policy;
  const dismissal = action.isActive ? undefined : policy && boundOf(policy, action.alert);
  const alert = input.alerts.find(({ name }) => name === action.alert);
  return {
    alert: action.alert,
    action: action.isActive ? 'Activate' : 'Deactivate',
    policy: action.policyKey,
    cause: action.cause,
    because: causeSentence(action, decision?.want.source),
    actor: action.actor,
    severity: alert?.severity,
    incidents: alert?.incidentCount ?? 0,
    dismissal,
    result: sent?.result,
    error: sent?.error && errorSentence(sent.error),
  };
}

function decisionOf({ alert, policyKey }: Action, plan: Plan): AlertDecision | undefined {
  return plan.policies.find(({ key }) => key === policyKey)?.alerts.find(({ name }) => name === alert);
}

/** UTF-16 units of a reason that are shown. */
const reasonLimit = 1024;

/** What the policy declares about the alert; undefined without a dismissal. */
function boundOf({ spec }: RoleAlertPolicy, alert: string): ShownDismissal | undefined {
  const dismissal = spec.alerts?.find(({ name }) => sameName(name, alert))?.dismissal;
  if (!dismissal) return undefined;
  const { reason, until, incidents, maxIncidents } = dismissal;
  const named = incidents?.map((id) => cleanText(id));
  const bounds = [
    ...(until === undefined ? [] : [`until ${cleanText(until)}`]),
    ...(maxIncidents === undefined ? [] : [`while it has at most ${counted(maxIncidents, 'incident')}`]),
    ...(named ? [`while it has no incidents but ${named.join(', ')}`] : []),
  ];
  return {
    reason: cleanText(reason, reasonLimit),
    until,
    incidents: named,
    maxIncidents,
    bound: bounds.join(', and '),
  };
}

/** `source`: that of the owner's want; undefined when no policy declares the alert. Without a full stop. */
function causeSentence({ cause, isActive, actor }: Action, source: WantSource | undefined): string {
  if (cause !== 'Declared') return causes[cause];
  if (source === 'DismissalExpired' || source === 'NewIncidents') return causes[source];
  const state = isActive ? 'Active' : 'Inactive';
  const by = actor === 'Unknown' || actor === 'Self' ? '' : `; ${changers[actor]} probably changed it`;
  return `declared ${state}${by}`;
}

const causes = {
  Unlisted: 'spec.unlisted guards it',
  DismissalHolds: 'declared Inactive, and the dismissal is in force',
  DismissalExpired: 'declared Inactive, and the dismissal has ended',
  NewIncidents: 'declared Inactive, and incidents exceed the bound of the dismissal',
  DeclarationGone: 'the operator deactivated it, and no dismissal in force declares that any more',
} as const;

/** Who probably changed an alert. */
export const changers = {
  Scan: 'a scan of the service',
  User: 'a user',
  Application: 'an application',
  ManagedIdentity: 'a managed identity',
  Key: 'the holder of a key',
} as const;

interface Planned {
  readonly input: PlanInput;
  readonly plan: Plan;
}

function decisionNotes({ input, plan }: Planned): readonly PreviewNote[] {
  const policies = new Map(input.policies.map((policy) => [policy.key, policy]));
  return plan.policies.flatMap((decision) => {
    const policy = policies.get(decision.key);
    return policy ? notesOfPolicy(decision, policy, input) : [];
  });
}

function notesOfPolicy(decision: PolicyDecision, policy: PolicyInput, input: PlanInput): readonly PreviewNote[] {
  const facts = factsOfInput(policy, input.intervalMs);
  const whole = (kind: PreviewNote['kind'], reason: PolicyReason) =>
    noteOf(kind, policy.key, { reason, message: conditionMessage(reason, facts) });
  if (policy.isSuspended) return [whole('InForce', 'Suspended')];
  const listed = input.alerts.map(({ name }) => name);
  const missing = missingAlerts(decision.alerts, policy.policy, input.nowMs).map(({ name, since }) => ({
    name,
    since,
    nearest: since === undefined ? nearestOf(name, listed) : undefined,
  }));
  const missingOf = (alert: AlertDecision) => missing.filter(({ name }) => name === alert.name);
  return [
    ...(decision.withheld?.mode ? [whole('NotApplied', 'ModeNotGranted')] : []),
    ...(decision.withheld?.guard ? [whole('NotReady', 'GuardDenied')] : []),
    ...decision.alerts.flatMap((alert) => notesOfAlert(alert, policy, { ...facts, missing: missingOf(alert) })),
  ];
}

/** What the messages about a policy name. Those about a scope that is not planned do not name the interval. */
function factsOfInput(policy: PolicyInput, intervalMs = 0): MessageFacts {
  return factsOfPolicy(policy.policy, effectiveSettings(policy, intervalMs, false));
}

function notesOfAlert(decision: AlertDecision, policy: PolicyInput, facts: MessageFacts): readonly PreviewNote[] {
  const note = (kind: PreviewNote['kind'], reason: string, message: string, until?: string) =>
    noteOf(kind, policy.key, { alert: decision.name, reason, message, until });
  const { Ready } = conditionsOfDecisions({ alerts: [decision] });
  if (Ready && Ready !== 'keep' && Ready.status !== 'Unknown' && Ready.reason !== 'Succeeded') {
    const message = conditionMessage(Ready.reason, { ...facts, ...Ready.facts });
    const kind = Ready.status === 'False' ? 'NotReady' : decision.result === 'Held' ? 'Held' : 'NotApplied';
    const { untilMs } = decision;
    return [note(kind, Ready.reason, message, untilMs === undefined ? untilMs : formatTimestamp(untilMs))];
  }
  const dismissal = isDismissed(decision) ? boundOf(policy.policy, decision.name) : undefined;
  if (dismissal) {
    const message = `Alert ${decision.name}: stays inactive ${dismissal.bound}. Reason: ${dismissal.reason}`;
    return [note('InForce', 'DismissalHolds', message)];
  }
  return inSyncNotes([decision]).map((message) => note('InForce', decision.want.source, message));
}

function isDismissed({ result, want, alert }: AlertDecision): boolean {
  return result === 'InSync' && want.state === 'Inactive' && alert !== undefined;
}

/** A note of a policy. */
function noteOf(
  kind: PreviewNote['kind'],
  policy: string | undefined,
  { alert, reason, message, until }: Pick<PreviewNote, 'reason' | 'message'> & Partial<PreviewNote>,
): PreviewNote {
  return { kind, alert, policy, reason, message, until };
}

/** Policies that the connection does not let list the scope, or whose namespace is not known. */
function deniedNotes({ denied, connection }: PlannedScope, { memory }: PreviewContext): readonly PreviewNote[] {
  if (!connection) return [];
  return denied.map((policy) => {
    if (policy.isSuspended) {
      const message = conditionMessage('Suspended', factsOfInput(policy));
      return noteOf('InForce', policy.key, { reason: 'Suspended', message });
    }
    if (policy.grant.list === 'Unknown') return unknownNamespace(policy, memory);
    const message = conditionMessage('AccessDenied', factsOfInput(policy));
    return noteOf('NotReady', policy.key, { reason: 'AccessDenied', message });
  });
}

function unknownNamespace({ key, policy }: PolicyInput, memory: PreviewContext['memory']): PreviewNote {
  const { namespace } = policy.metadata;
  const fix =
    memory === 'Files'
      ? 'add its manifest with --filename, or read the cluster with --live'
      : 'ask for a role that reads namespaces';
  const message = `The labels of namespace ${namespace} decide what ${connectionName('connection', connectionKeyOf(policy))} grants, and they are not known: ${fix}.`;
  return noteOf('Failed', key, { reason: 'NamespaceNotKnown', message });
}

/** The operator would not list the scope. */
function unlistedNotes(
  { ref, connection, deletion, policies, denied }: PlannedScope,
  context: PreviewContext,
): readonly PreviewNote[] {
  if (connection) {
    return policies.map((policy) => {
      const reason = deletion === 'None' || policy.isSuspended ? 'Suspended' : 'ConnectionDeleting';
      const message = conditionMessage(reason, factsOfInput(policy));
      return noteOf(reason === 'Suspended' ? 'InForce' : 'NotReady', policy.key, { reason, message });
    });
  }
  const unknown = unknownConnection(ref.connection, context);
  if (unknown !== undefined) {
    const message = `${connectionName('Connection', ref.connection)} is not known: ${unknown}.`;
    return [noteOf('Failed', undefined, { reason: 'ConnectionNotKnown', message })];
  }
  return [...policies, ...denied].map((policy) => {
    const message = conditionMessage('ConnectionNotFound', factsOfInput(policy));
    return noteOf('NotReady', policy.key, { reason: 'ConnectionNotFound', message });
  });
}

/** What would make it known; undefined when the preview read where the connection would be. */
function unknownConnection(
  key: string,
  { memory, namespace: read, isClusterDenied }: PreviewContext,
): string | undefined {
  if (memory === 'Files') return 'add its manifest with --filename, or read the cluster with --live';
  const { namespace } = partsOfConnectionKey(key);
  if (namespace === undefined) {
    return isClusterDenied ? 'ask for the ClusterRole rolealerts-platform-admin, which lists it' : undefined;
  }
  return read === undefined || read === namespace
    ? undefined
    : 'add its manifest with --filename, or read all namespaces with --all-namespaces';
}

/** The list failed, or the command has no credential for it. */
function failureNote(
  { ref, connection, policies }: PlannedScope,
  { error, tokenPlace }: FailedListing,
  { clusterNamespace }: PreviewContext,
): PreviewNote {
  const [policy] = policies;
  const facts = {
    ...(connection && factsOfConnection(connection, clusterNamespace)),
    ...(policy && factsOfInput(policy)),
    scope: ref.scope,
  };
  const failed = (reason: string, message: string) => noteOf('Failed', undefined, { reason, message });
  if (!isAlertsError(error)) return failed(reasonOfLocal(error), [error.message, detailOf(error)].join(' ').trim());
  const failure = failureOf(error);
  const { serviceCode } = error;
  const { networkCause } = failure;
  if (failure.reason !== 'ConnectionNotReady') {
    return failed(failure.reason, conditionMessage(failure.reason, { ...facts, serviceCode, networkCause }));
  }
  if (error.code === 'service-denied' && tokenPlace) return failed(failure.connection, refusedToken(facts, tokenPlace));
  if (error.code === 'endpoint-invalid') return failed(failure.connection, refusedUrl(ref, error));
  const message = `${conditionMessage(failure.connection, { ...facts, networkCause })} ${error.message}`;
  return failed(failure.connection, message);
}

/** The service refused a token that is not the one in the Secret: the sentence of the reason speaks of that. */
function refusedToken({ connection, endpoint }: MessageFacts, { name, renewal }: TokenPlace): string {
  return `${connectionName('Connection', connection ?? '')}: the service at ${endpoint ?? 'its endpoint'} refuses the token of ${name}. ${renewal}.`;
}

/** The command refused the URL because of its own options: the sentence of the reason speaks of the operator. */
function refusedUrl({ connection }: ScopeRef, { message, reason }: CodedError): string {
  const fix = reason === 'HostNotAllowed' ? ' Add the host, or correct the URL.' : '';
  return `${connectionName('Connection', connection)}: ${message}${fix}`;
}

function reasonOfLocal({ code }: CodedError): string {
  return code === 'local' ? 'CredentialNotFound' : 'ListFailed';
}

/** On one line. */
function detailOf({ detail = '' }: CodedError): string {
  return cleanText(detail.replaceAll(/:\n\s*/g, ': ').replaceAll(/\n\s*/g, '; '), 1024);
}
