// The verdict on each edit, kept between runs: a killed edit counts until the source or that test file changes, a survivor
// and a list of all killers until any test changes.
import { hashOf, hashOfFiles, keep, kept } from './kept-files.ts';
import type { Mutant } from './mutants.ts';
import type { CaseRef } from './orders.ts';

export type Verdict =
  | {
      readonly result: 'killed';
      readonly by: CaseRef;
      readonly how: string;
      /** All test files that noticed it, when each was asked. */
      readonly killers?: readonly string[];
    }
  | { readonly result: 'survived' }
  /** No case executes it. */
  | { readonly result: 'not executed' };

interface KeptVerdict {
  readonly hash: string;
  readonly verdict: Verdict;
}

const saveEveryMs = 10_000;

export class Verdicts {
  readonly #name: string;
  /** Of everything that can notice an edit. */
  readonly #testsHash: string;
  readonly #kept: Record<string, KeptVerdict>;
  readonly #fileHashes = new Map<string, string>();
  #savedMs = performance.now();

  constructor(name: string, testsHash: string) {
    this.#name = name;
    this.#testsHash = testsHash;
    this.#kept = (kept(name) ?? {}) as Record<string, KeptVerdict>;
  }

  /** Undefined when it is not known any more. */
  get(mutant: Mutant): Verdict | undefined {
    const found = this.#kept[mutant.key];
    return found && found.hash === this.#hash(mutant, found.verdict) ? found.verdict : undefined;
  }

  /** Who noticed it before something changed: most likely the same case again. */
  hint(mutant: Mutant): CaseRef | undefined {
    const verdict = this.#kept[mutant.key]?.verdict;
    return verdict?.result === 'killed' ? verdict.by : undefined;
  }

  set(mutant: Mutant, verdict: Verdict): void {
    this.#kept[mutant.key] = { hash: this.#hash(mutant, verdict), verdict };
    if (performance.now() - this.#savedMs > saveEveryMs) this.save();
  }

  save(): void {
    this.#savedMs = performance.now();
    keep(this.#name, this.#kept);
  }

  #hash({ file }: Mutant, verdict: Verdict): string {
    const isByOne = verdict.result === 'killed' && verdict.killers === undefined;
    return hashOf(file.source, isByOne ? this.#fileHash(verdict.by.file) : this.#testsHash);
  }

  #fileHash(path: string): string {
    let hash = this.#fileHashes.get(path);
    if (hash === undefined) this.#fileHashes.set(path, (hash = hashOfFile(path)));
    return hash;
  }
}

function hashOfFile(path: string): string {
  try {
    return hashOfFiles([path]);
  } catch {
    return 'gone';
  }
}
