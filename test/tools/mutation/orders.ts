// The messages between the runner and its workers.

export interface CaseRef {
  readonly file: string;
  readonly name: string;
}

/** One case as it went without an edit. */
export interface RecordedCase extends CaseRef {
  readonly ms: number;
  /** Of the processor, which a busy machine does not make longer. */
  readonly cpuMs: number;
  /** How often it asked for an edit. */
  readonly steps: number;
  /** It waits for timers that do not keep a process alive, so an empty event loop says nothing. */
  readonly isKeptAlive: boolean;
  /** Edits that it executes, in rising order. */
  readonly ids: readonly number[];
}

export type Order =
  /** Which edits the sources execute by themselves, when they are imported. */
  | { readonly do: 'import' }
  | { readonly do: 'record'; readonly file: string }
  | {
      readonly do: 'try';
      readonly id: number;
      /** Test files that execute it at import: they and all they need are imported anew. */
      readonly importedAnew: readonly string[];
      readonly cases: readonly RecordedCase[];
    };

export type Answer =
  | { readonly say: 'ready' }
  /** A sign of life: the file is imported, or the case begins. */
  | { readonly say: 'begin'; readonly what: CaseRef }
  | {
      readonly say: 'recorded';
      readonly cases: readonly RecordedCase[];
      /** Executed while its cases were collected, the import of sources not counted. */
      readonly collectedIds: readonly number[];
      readonly failed: readonly (CaseRef & { readonly why: string })[];
    }
  | { readonly say: 'imported'; readonly ids: readonly number[] }
  | { readonly say: 'killed'; readonly by: CaseRef; readonly how: string; readonly rssBytes: number }
  | { readonly say: 'survived'; readonly rssBytes: number };
