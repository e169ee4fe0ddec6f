// The types between the simulated network and its hosts: requests, responses, streams, and the fate of a
// request. Time is virtual, in milliseconds since the start of the run.

/** One request as a host sees it. */
export interface SimRequest {
  /** Name of the process that sent it. */
  readonly process: string;
  readonly method: string;
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The authorities that the socket trusts in the place of the well-known ones; undefined for those. */
  readonly trust?: string | undefined;
  /** When it was written to the socket. */
  readonly sentAtMs: number;
  /** When the host got it. */
  readonly atMs: number;
}

export interface SimAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** A streamed response. */
export interface SimStream {
  /** `onArrived` is called once the process has it. */
  write(chunk: string | Buffer, onArrived?: () => void): void;
  end(): void;
  /** Called once, when the other side is gone. */
  onClosed(listener: () => void): void;
}

export interface SimHost {
  /** Undefined: it opened a stream and continues later. */
  handle(
    request: SimRequest,
    open: (status: number, headers?: Readonly<Record<string, string>>) => SimStream,
  ): SimAnswer | undefined;
}

/** The fate of one request. */
export type Fate = {
  /** On top of the usual latency, on the way there. */
  readonly delayMs?: number;
  /** On the way back. */
  readonly answerDelayMs?: number;
} & (
  | { readonly kind: 'deliver' }
  /** No process listens. */
  | { readonly kind: 'refuse' }
  | { readonly kind: 'name-not-found' }
  | { readonly kind: 'tls-failed' }
  /** Reset before the host sees it. */
  | { readonly kind: 'reset' }
  /** The host has done it, and then the connection is reset. */
  | { readonly kind: 'lose-answer' }
  /** Never delivered and never answered. */
  | { readonly kind: 'black-hole' }
  /** Delivered and never answered. */
  | { readonly kind: 'half-open' }
  /** The host never sees it. */
  | { readonly kind: 'replace'; readonly answer: SimAnswer }
  /** The host has done it, and something else comes back. */
  | { readonly kind: 'instead'; readonly answer: SimAnswer }
  | { readonly kind: 'cut-body'; readonly afterBytes: number }
  | { readonly kind: 'slow-body'; readonly chunkBytes: number; readonly everyMs: number }
);

/** True when the process got no connection on which to send the request. */
export function isUnconnected(fate: Fate['kind']): boolean {
  return fate === 'refuse' || fate === 'name-not-found' || fate === 'tls-failed';
}

/** Every end of every request, for traces and oracles. */
export interface SimExchange {
  readonly request: Omit<SimRequest, 'atMs'>;
  readonly fate: Fate['kind'];
  /** What reached the process: a status, or what broke. Absent while nothing did. */
  readonly outcome: number | string;
  /** Of the response that reached the process. */
  readonly answerHeaders: Readonly<Record<string, string>> | undefined;
  readonly answerBody: string | Buffer | undefined;
  readonly endedAtMs: number;
}
