// What a fault script says, after it was checked: rules that name requests, how often they are met, and one fault each.
// How a document becomes one is decided in decode-script.ts, what a fault does in faults.ts.
import type { JsonObject } from '../alerts/alert-document.ts';
import type { EndpointName } from '../http/message.ts';

/** Every route that a fault can be on: those with a path of their own. */
export type FaultRoute = 'list-alerts' | 'update-alert' | EndpointName;

export type Fault =
  /** Drawn evenly from `minMs` to `maxMs`; equal ones are a fixed time. */
  | { readonly kind: 'latency'; readonly minMs: number; readonly maxMs: number }
  | {
      readonly kind: 'status';
      readonly status: number;
      /** Absent means the one that the service itself has for the status. */
      readonly code?: string;
      readonly retryAfter?: RetryAfter;
    }
  | { readonly kind: 'cut'; readonly afterBytes: number }
  | { readonly kind: 'slow'; readonly pieceBytes: number; readonly everyMs: number }
  | { readonly kind: 'huge'; readonly bytes: number }
  | { readonly kind: 'malformed'; readonly how: Malformation }
  | { readonly kind: 'pageLoop' }
  | { readonly kind: 'foreignNextLink'; readonly link: string }
  | { readonly kind: 'ignoreUpdate' }
  | { readonly kind: 'loseRequest' }
  | { readonly kind: 'loseReply' }
  | { readonly kind: 'reRaise'; readonly afterMs: number }
  | { readonly kind: 'expireToken' };

export type FaultName = Fault['kind'];

/** The header's text as it is, or the HTTP date so many seconds after the answer. */
export type RetryAfter = { readonly text: string } | { readonly inSeconds: number };

export const malformations = [
  'truncated',
  'empty',
  'not-json',
  'wrong-type',
  'wrong-content-type',
  'bad-utf8',
  'too-deep',
] as const;

export type Malformation = (typeof malformations)[number];

/** What a request has to be. A member that is absent fits every request. */
export interface FaultMatch {
  readonly routes: ReadonlySet<FaultRoute>;
  readonly scope?: ScopePattern;
  readonly alert?: string;
  /** The name of the caller: of a user or a client, or `static-token`. */
  readonly principal?: string;
}

export interface ScopePattern {
  /** As `canonicalScope` writes it; a prefix keeps a slash at its end. */
  readonly text: string;
  readonly isPrefix: boolean;
}

/** Which of the requests that match are met. */
export interface FaultLimits {
  /** So many are met, then no more; absent means without end. */
  readonly times?: number;
  /** So many pass first. */
  readonly after: number;
  /** Of each one after them. */
  readonly probability: number;
}

export interface FaultRule {
  readonly match: FaultMatch;
  readonly limits: FaultLimits;
  readonly fault: Fault;
  /** As it was written, to be shown. */
  readonly document: JsonObject;
}

export interface FaultScript {
  readonly seed: number;
  readonly rules: readonly FaultRule[];
}

export const noFaults: FaultScript = { seed: 0, rules: [] };
