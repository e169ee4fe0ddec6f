// What a request to the API server that failed on the way to a ServiceAccount token means for the connection.
import { AlertsError } from '../alerts/alerts-error.ts';
import { isKubeError } from './kube-error.ts';

/**
 * `task` completes "The operator may not …". A missing permission ends the use of the account; a refusal for another reason is
 * tried again. An API server that is not available stays `kube-unreachable`, as for every other request.
 */
export function toTokenRequestFailure(error: unknown, task: string): unknown {
  const isUnavailable = isKubeError(error, 'kube-unreachable') && error.status !== 500;
  if (!isKubeError(error) || isUnavailable) return error;
  const facts = { reason: 'TokenRequestFailed', detail: error.detail };
  if (error.code === 'kube-denied') {
    return new AlertsError('credential-not-allowed', `The operator may not ${task}.`, facts);
  }
  return new AlertsError('token-endpoint-failed', `The API server did not let the operator ${task}.`, facts);
}
