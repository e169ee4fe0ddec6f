// The step of a trace at the credential: whether the Secret or the ServiceAccount of a connection exists and may be used.
import type { ConnectionReason } from '../../operator/reasons/reasons.ts';
import { accountConsent, type Consent, consentText, hasConsent, secretConsent } from '../../policy/consent.ts';
import { type AnyConnection, credentialOf, serviceAccountOf } from '../../policy/resources.ts';
import type { ConsentMetadata, Readable, TraceInput } from '../report/trace-input.ts';
import type { TraceStep } from './trace-step.ts';

/** What the credential of a connection is, in words, and what the reason of its failure is. */
interface NamedCredential {
  readonly name: string;
  readonly absent: ConnectionReason;
  readonly refused: ConnectionReason;
  readonly consent: Consent;
}

export function credentialStep(connection: AnyConnection, input: TraceInput): TraceStep | undefined {
  const named = namedCredential(connection, input.clusterNamespace);
  return named && { kind: 'Credential', name: named.name, ...stateOf(named, input.credential), children: [] };
}

/** Undefined while nothing is wrong, or nothing is known. */
export function credentialFailure(connection: AnyConnection, input: TraceInput): ConnectionReason | undefined {
  const named = namedCredential(connection, input.clusterNamespace);
  const { credential } = input;
  if (!named || !credential) return undefined;
  if ('value' in credential) return hasConsent(credential.value, named.consent) ? undefined : named.refused;
  return credential.missing === 'Absent' ? named.absent : undefined;
}

function stateOf(
  { consent }: NamedCredential,
  credential: Readable<ConsentMetadata> | undefined,
): Pick<TraceStep, 'state' | 'text'> {
  if (!credential) return { state: 'Unknown', text: 'not read' };
  if ('value' in credential) {
    return hasConsent(credential.value, consent)
      ? { state: 'Ok', text: `exists, with ${consentText(consent)}` }
      : { state: 'Blocked', text: `lacks ${consentText(consent)}, so the operator may not use it` };
  }
  if (credential.missing === 'Absent') return { state: 'Blocked', text: 'does not exist' };
  return { state: 'Unknown', text: 'you may not read it; the condition ConnectionReady shows what the operator found' };
}

function namedCredential(connection: AnyConnection, clusterNamespace: string): NamedCredential | undefined {
  const secret = credentialOf(connection, clusterNamespace);
  if (secret) {
    return {
      name: `Secret ${secret.namespace}/${secret.name}, key ${secret.key}`,
      absent: 'SecretNotFound',
      refused: 'SecretNotAllowed',
      consent: secretConsent,
    };
  }
  const account = serviceAccountOf(connection, clusterNamespace);
  return (
    account && {
      name: `ServiceAccount ${account.namespace}/${account.name}`,
      absent: 'ServiceAccountNotFound',
      refused: 'ServiceAccountNotAllowed',
      consent: accountConsent(account),
    }
  );
}
