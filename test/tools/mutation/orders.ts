// The messages between the runner and its workers.

/** One case as it went without an edit. */
export interface RecordedCase {
  readonly file: string;
  readonly name: string;
  readonly ms: number;
  /** Of the processor, which a busy machine does not make longer. */
  readonly cpuMs: number;
  /** How often it asked for an edit. */
  readonly steps: number;
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
      /** The source file. */
      readonly path: string;
      /** Test files that execute it at import: they and all they need are imported anew. */
      readonly importedAnew: readonly string[];
      readonly cases: readonly RecordedCase[];
    };

export type Answer =
  | { readonly say: 'ready' }
  /** A sign of life: a file is imported, or a case begins. */
  | { readonly say: 'begin' }
  | {
      readonly say: 'recorded';
      readonly cases: readonly RecordedCase[];
      /** Executed while its cases were collected, the import of sources not counted. */
      readonly collectedIds: readonly number[];
      /** Cases that do not pass here without any edit, so they cannot notice one. */
      readonly failed: readonly string[];
      readonly rssBytes: number;
    }
  | { readonly say: 'imported'; readonly ids: readonly number[] }
  /** The tier whose case noticed it; undefined: none did. */
  | { readonly say: 'tried'; readonly noticed: string | undefined; readonly rssBytes: number };
