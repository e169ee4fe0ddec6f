// What the runner and its workers say to each other.

export interface CaseRef {
  readonly file: string;
  readonly name: string;
}

/** One case as it went without an edit. */
export interface RecordedCase extends CaseRef {
  readonly ms: number;
  /** How often it asked for an edit. */
  readonly steps: number;
  /** It waits for timers that do not keep a process alive, so an empty event loop says nothing. */
  readonly isKeptAlive: boolean;
  /** Edits that it executes, in rising order. */
  readonly ids: readonly number[];
}

export type Order =
  | { readonly do: 'record'; readonly file: string }
  | {
      readonly do: 'try';
      readonly id: number;
      /** Executed at import: the files are imported anew. */
      readonly isStatic: boolean;
      readonly cases: readonly RecordedCase[];
    };

export type Answer =
  | { readonly say: 'ready' }
  /** A case begins: a sign of life. */
  | { readonly say: 'begin' }
  | {
      readonly say: 'recorded';
      readonly cases: readonly RecordedCase[];
      /** Executed while the file was imported. */
      readonly staticIds: readonly number[];
      readonly failed: readonly (CaseRef & { readonly why: string })[];
    }
  | { readonly say: 'killed'; readonly by: CaseRef; readonly how: string; readonly rssBytes: number }
  | { readonly say: 'survived'; readonly rssBytes: number };
