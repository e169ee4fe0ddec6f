// The types of a checked fault script: rules with matched requests, limits and a fault each. decode-script.ts parses a script,
// faults.ts applies it.
import type { JsonObject } from '../../lib/json-shape.ts';
import type { EndpointName } from '../http/message.ts';

/** The routes that faults apply to: all known routes. */
export type FaultRoute = 'list-alerts' | 'update-alert' | EndpointName;

export type Fault =
  /** A uniform random delay from `minMs` to `maxMs`. */
  | { readonly kind: 'latency'; readonly minMs: number; readonly maxMs: number }
  | {
      readonly kind: 'status';
      readonly status: number;
      /** Default: the service's own code for the status. */
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

/** The header's text, or an HTTP date this number of seconds after the response. */
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

/** The requests that a rule matches. An absent member matches every request. */
export interface FaultMatch {
  readonly routes: ReadonlySet<FaultRoute>;
  readonly scope?: ScopePattern;
  readonly alert?: string;
  /** The caller: the name of a user, the id of a client, or `static-token`. */
  readonly principal?: string;
}

export interface ScopePattern {
  /** In the form of `canonicalScope`; a prefix keeps its trailing slash. */
  readonly text: string;
  readonly isPrefix: boolean;
}

/** The matching requests that get the fault. */
export interface FaultLimits {
  /** Maximum number of injected faults; absent means no limit. */
  readonly times?: number;
  /** Number of matching requests to skip first. */
  readonly after: number;
  /** Probability of the fault for each further request. */
  readonly probability: number;
}

export interface FaultRule {
  readonly match: FaultMatch;
  readonly limits: FaultLimits;
  readonly fault: Fault;
  /** The rule as written, for reports. */
  readonly document: JsonObject;
}

export interface FaultScript {
  readonly seed: number;
  readonly rules: readonly FaultRule[];
}

export const noFaults: FaultScript = { seed: 0, rules: [] };
