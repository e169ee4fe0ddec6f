// How a call of the API server fails.
import { CodedError, isCoded, type StoppedError } from '../../lib/errors.ts';

export type KubeErrorCode =
  | 'kube-conflict'
  | 'kube-gone'
  | 'kube-not-found'
  | 'kube-denied'
  | 'kube-invalid'
  | 'kube-unreachable';

/** The API server refused a request, or did not answer it as expected. */
export class KubeError extends CodedError<KubeErrorCode> {}

/** What every call of the API server rejects with. */
export type KubeFailure = KubeError | StoppedError;

/** Undefined instead of `kube-not-found`. */
export async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isKubeError(error, 'kube-not-found')) return undefined;
    throw error;
  }
}

/** True for a `KubeError` with one of the codes. */
export function isKubeError(error: unknown, ...codes: readonly KubeErrorCode[]): error is KubeError {
  return error instanceof KubeError && isCoded(error, ...codes);
}
