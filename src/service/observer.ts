// What the service tells about its work as numbers: a port, so that nobody here knows how they are counted. No name, no path
// and no identifier goes out by it.
import type { PrincipalClass, RouteName } from './http/message.ts';

export interface AnswerSample {
  readonly route: RouteName;
  readonly status: number;
  /** A class of callers, never an identity. */
  readonly principal: PrincipalClass;
  /** `error.code` of the body; absent on success. */
  readonly errorCode?: string;
  /** Name of the fault that the request met; absent when it met none. */
  readonly fault?: string;
  /** From the headers of the request to the answer being ready. */
  readonly durationMs: number;
}

export interface ServiceObserver {
  /** A request begins, and later `requestEnded`: its answer is written, or its connection is gone. */
  requestBegan(): void;
  requestEnded(): void;
  answered(sample: AnswerSample): void;
  /** What was sent was no request, or did not arrive in time. */
  clientErrorAnswered(status: number): void;
  tokenIssued(subjectType: 'user' | 'client'): void;
  /** `raised` is the number of alerts that the scan activated. */
  scanEnded(result: 'succeeded' | 'failed', raised: number): void;
}

export const silentObserver: ServiceObserver = {
  requestBegan: () => undefined,
  requestEnded: () => undefined,
  answered: () => undefined,
  clientErrorAnswered: () => undefined,
  tokenIssued: () => undefined,
  scanEnded: () => undefined,
};
