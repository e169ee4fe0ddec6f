// The failures of SQLite and of the file system that a user can do something about, as the ends of sentences.
import { messageOf } from '../../lib/errors.ts';

/**
 * `in-use`: another process holds a lock. `full`: the disk has no space. `damaged`: the content is not what was written.
 * `not-writable`: no permission, or a file system that only reads. `failed`: another failure of the disk.
 */
export type FileTrouble = 'in-use' | 'full' | 'damaged' | 'not-writable' | 'failed';

/** By primary result code of SQLite, which is the lowest byte of an extended one. */
const byPrimaryCode: Readonly<Record<number, FileTrouble>> = {
  5: 'in-use', // SQLITE_BUSY
  6: 'in-use', // SQLITE_LOCKED
  8: 'not-writable', // SQLITE_READONLY
  10: 'failed', // SQLITE_IOERR
  11: 'damaged', // SQLITE_CORRUPT
  13: 'full', // SQLITE_FULL
  14: 'failed', // SQLITE_CANTOPEN
  26: 'damaged', // SQLITE_NOTADB
};

/** Extended result codes that mean something else than their primary ones. */
const byExtendedCode: Readonly<Record<number, FileTrouble>> = {
  522: 'damaged', // SQLITE_IOERR_SHORT_READ: the file is shorter than it was
  4874: 'full', // SQLITE_IOERR_SHMSIZE: no space for the index of the write-ahead log
};

const byErrno: Readonly<Record<string, FileTrouble>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'not-writable',
  EACCES: 'not-writable',
};

/** Undefined for an error that is a bug. */
export function troubleOf(error: unknown): FileTrouble | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errcode, code } = error as { readonly errcode?: unknown; readonly code?: unknown };
  if (typeof errcode === 'number') return byExtendedCode[errcode] ?? byPrimaryCode[errcode & 0xff];
  return typeof code === 'string' ? byErrno[code] : undefined;
}

/** The end of a sentence that begins with the name of the file, without a full stop. */
export function explainTrouble(error: unknown): string {
  const trouble = troubleOf(error);
  if (trouble === 'in-use') return 'another process is using it';
  if (trouble === 'full') return 'the disk is full';
  const text = messageOf(error);
  return trouble === 'damaged' && text !== 'file is not a database' ? `it is damaged (${text})` : text;
}
