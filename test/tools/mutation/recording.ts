// Which case executes which edit: every test file runs once without any edit, and the result is kept until a file changes.
import { keep, kept } from './kept-files.ts';
import type { CaseRef, RecordedCase } from './orders.ts';
import { share, type WorkerProcess } from './worker-process.ts';

export interface Recording {
  /** The fingerprint of the sources and tests. */
  readonly hash: string;
  readonly cases: readonly RecordedCase[];
  /** Edits that the sources execute by themselves, when they are imported. */
  readonly importedIds: readonly number[];
  /** By test file: edits that are executed while its cases are collected, besides those. */
  readonly collectedIds: Readonly<Record<string, readonly number[]>>;
  /** Cases that do not pass here without any edit, so they cannot notice one. */
  readonly failed: readonly (CaseRef & { readonly why: string })[];
}

export async function record(
  name: string,
  hash: string,
  workers: readonly WorkerProcess[],
  testFiles: readonly string[],
): Promise<Recording> {
  const before = kept(name) as Recording | undefined;
  if (before?.hash === hash) return before;
  const byFile = new Map<string, readonly RecordedCase[]>();
  const collectedIds: Record<string, readonly number[]> = {};
  const failed: (CaseRef & { why: string })[] = [];
  await share(workers, testFiles, async (worker, file) => {
    const outcome = await worker.run({ do: 'record', file });
    if (outcome.say !== 'recorded') throw new Error(`${file} cannot be recorded: ${JSON.stringify(outcome)}`);
    byFile.set(file, outcome.cases);
    failed.push(...outcome.failed);
    collectedIds[file] = outcome.collectedIds;
  });
  const cases = testFiles.flatMap((file) => byFile.get(file) ?? []);
  const recording = { hash, cases, importedIds: await importedBy(workers[0]), collectedIds, failed };
  keep(name, recording);
  return recording;
}

async function importedBy(worker: WorkerProcess | undefined): Promise<readonly number[]> {
  const outcome = await worker?.run({ do: 'import' });
  return outcome?.say === 'imported' ? outcome.ids : [];
}
