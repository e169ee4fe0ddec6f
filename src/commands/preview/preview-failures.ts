// Why a scope is not planned: the operator would not list it, or this command cannot.
import { isAlertsError } from '../../alerts/alerts-error.ts';
import { cleanText } from '../../lib/clean-text.ts';
import type { CodedError } from '../../lib/errors.ts';
import { failureOf } from '../../operator/decide/failures.ts';
import type { PolicyInput } from '../../operator/decide/plan-input.ts';
import { connectionName, factsOfConnection, type MessageFacts } from '../../operator/reasons/message-facts.ts';
import { conditionMessage } from '../../operator/reasons/reasons.ts';
import { connectionKeyOf } from '../../policy/connection-key.ts';
import type { ScopeRef } from '../../policy/scope-ref.ts';
import type { FailedListing, PlannedScope, TokenPlace } from './planned-scope.ts';
import { factsOfInput, noteOf } from './preview-notes.ts';
import type { PreviewContext, PreviewNote } from './preview.ts';

/** Any interval will do: no sentence here names it. */
const intervalMs = 0;

/** Policies that the connection does not let list the scope, or whose namespace is not known. */
export function deniedNotes({ denied, connection }: PlannedScope, { memory }: PreviewContext): readonly PreviewNote[] {
  if (!connection) return [];
  return denied.map((policy) => {
    if (policy.grant.list === 'Unknown') return unknownNamespace(policy, memory);
    const message = conditionMessage('AccessDenied', factsOfInput(policy, intervalMs));
    return noteOf('NotApplied', policy.key, { reason: 'AccessDenied', message });
  });
}

function unknownNamespace({ key, policy }: PolicyInput, memory: PreviewContext['memory']): PreviewNote {
  const { namespace } = policy.metadata;
  const fix =
    memory === 'Files'
      ? 'add its manifest with --filename, or read the cluster with --live'
      : 'ask for a role that reads namespaces, or add its manifest with --filename';
  const message = `The labels of namespace ${namespace} decide what ${connectionName('connection', connectionKeyOf(policy))} grants, and they are not known: ${fix}.`;
  return noteOf('Failed', key, { reason: 'NamespaceNotKnown', message });
}

/** The operator would not list the scope. */
export function unlistedNotes(
  { ref, connection, deletion, policies, denied }: PlannedScope,
  { memory }: PreviewContext,
): readonly PreviewNote[] {
  if (connection) {
    return policies.map((policy) => {
      const reason = deletion === 'None' || policy.isSuspended ? 'Suspended' : 'ConnectionDeleting';
      const message = conditionMessage(reason, factsOfInput(policy, intervalMs));
      return noteOf(reason === 'Suspended' ? 'InForce' : 'NotApplied', policy.key, { reason, message });
    });
  }
  if (memory === 'Files') {
    const name = connectionName('Connection', ref.connection);
    const message = `${name} is not in the files: add its manifest with --filename, or read the cluster with --live.`;
    return [noteOf('Failed', undefined, { reason: 'ConnectionNotKnown', message })];
  }
  return [...policies, ...denied].map((policy) => {
    const message = conditionMessage('ConnectionNotFound', factsOfInput(policy, intervalMs));
    return noteOf('NotApplied', policy.key, { reason: 'ConnectionNotFound', message });
  });
}

/** The list failed, or the command has no credential for it. */
export function failureNote(
  { ref, connection, policies }: PlannedScope,
  { error, tokenPlace }: FailedListing,
  { clusterNamespace }: PreviewContext,
): PreviewNote {
  const [policy] = policies;
  const facts = {
    ...(connection && factsOfConnection(connection, clusterNamespace)),
    ...(policy && factsOfInput(policy, intervalMs)),
    scope: ref.scope,
  };
  const failed = (reason: string, message: string) => noteOf('Failed', undefined, { reason, message });
  if (!isAlertsError(error)) return failed(reasonOfLocal(error), [error.message, detailOf(error)].join(' ').trim());
  const failure = failureOf(error);
  const { serviceCode } = error;
  if (failure.reason !== 'ConnectionNotReady') {
    return failed(failure.reason, conditionMessage(failure.reason, { ...facts, serviceCode }));
  }
  if (error.code === 'service-denied' && tokenPlace) return failed(failure.connection, refusedToken(facts, tokenPlace));
  if (error.code === 'endpoint-invalid') return failed(failure.connection, refusedUrl(ref, error));
  const message = `${conditionMessage(failure.connection, facts)} ${error.message}`;
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
