// Maps a response to the error code that the reconcile loop acts on (the table "Errors" of src/README.md), as one total
// function. The specification lists no error codes (section 7), so only the status decides. The error body shows one
// more thing: whether the service itself rejected a LIST, or a proxy did.
import type { AlertsErrorCode } from '../../alerts/alerts-error.ts';

export type ServiceOperation = 'list' | 'patch';

export interface ResponseFacts {
  readonly status: number;
  /** The body has the form of section 2.8. */
  readonly hasErrorBody: boolean;
  /** The service is throttling requests (retry-after.ts). */
  readonly isThrottled: boolean;
}

/** `unproven`: a success status that the specification does not define for a PATCH. Only a LIST can prove the change. */
export type Success = 'succeeded' | 'unproven';

type Failure = readonly [code: AlertsErrorCode, message: string];

/** Returns a success or a failure for every number. */
export function classify(operation: ServiceOperation, response: ResponseFacts): Success | Failure {
  return (
    classifySuccess(operation, response.status) ?? classifyForAll(response) ?? classifyRefusal(operation, response)
  );
}

function classifySuccess(operation: ServiceOperation, status: number): Success | Failure | undefined {
  if (!(status >= 200 && status <= 299)) return undefined;
  if (operation === 'patch') return status === 204 ? 'succeeded' : 'unproven';
  if (status === 200) return 'succeeded';
  return ['service-protocol', 'The service responded to the LIST with a success status other than 200.'];
}

/** Statuses that mean the same for both operations. */
function classifyForAll({ status, isThrottled }: ResponseFacts): Failure | undefined {
  if (status === 401) return ['service-denied', 'The service did not accept the credential.'];
  if (isThrottled) return ['service-busy', 'The service is throttling requests.'];
  if (status === 408 || (status >= 500 && status <= 599)) {
    return ['service-unreachable', 'The service reported an internal failure.'];
  }
  if (status >= 300 && status <= 399) {
    return ['service-protocol', 'The service responded with a redirect; redirects are not followed.'];
  }
  if (!(status >= 400 && status <= 499)) {
    return ['service-protocol', 'The service responded with a status that HTTP does not define.'];
  }
  return undefined;
}

/** 4xx. A rejected PATCH concerns one alert; a rejected LIST concerns the scope. */
function classifyRefusal(operation: ServiceOperation, { status, hasErrorBody }: ResponseFacts): Failure {
  if (operation === 'patch') return ['alert-refused', 'The service rejected the change of the alert.'];
  if (status === 403) return ['scope-forbidden', 'The credential has no permission to list the scope.'];
  if (!hasErrorBody) {
    return ['service-protocol', 'The LIST failed with an error body that does not come from the service.'];
  }
  if (status === 404) return ['scope-not-found', 'The service does not know the scope.'];
  return ['service-rejected', 'The service rejected the LIST.'];
}
