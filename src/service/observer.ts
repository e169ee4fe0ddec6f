// The interface through which the service reports its work to metrics. It passes no name, path or identifier.
import type { PrincipalClass, RouteName } from './http/message.ts';

export interface AnswerSample {
  readonly route: RouteName;
  readonly status: number;
  /** The class of the caller, never an identity. */
  readonly principal: PrincipalClass;
  /** `error.code` of the body; absent on success. */
  readonly errorCode?: string | undefined;
  /** Name of the injected fault; absent when there is none. */
  readonly fault?: string | undefined;
  /** Time from the headers of the request until the response was ready. */
  readonly durationMs: number;
}

export interface ServiceObserver {
  /** A request begins. `requestEnded` follows when its response is written or its connection has closed. */
  requestBegan(): void;
  requestEnded(): void;
  answered(sample: AnswerSample): void;
  /** The server responded to a malformed or timed-out request. */
  clientErrorAnswered(status: number): void;
  tokenIssued(subjectType: 'user' | 'client'): void;
  /** The size of the audit trail. */
  auditSwept(bytes: number): void;
  scanEnded(result: 'succeeded' | 'failed'): void;
}

export const silentObserver: ServiceObserver = {
  requestBegan: () => undefined,
  requestEnded: () => undefined,
  answered: () => undefined,
  clientErrorAnswered: () => undefined,
  tokenIssued: () => undefined,
  auditSwept: () => undefined,
  scanEnded: () => undefined,
};
