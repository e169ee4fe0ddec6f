// Failures of the data file that are no bug: the disk is full, or the content is not what the service wrote.
import { CodedError } from '../../lib/errors.ts';

/**
 * `data-file-full`: a write failed for lack of space and has no effect. `data-file-damaged`: this content cannot be returned or changed.
 * `data-file-lost`: the file no longer has its name, so what was just written may be lost. `data-file-failed`: another failure of the disk, or no permission.
 */
type DataFileCode = 'data-file-full' | 'data-file-damaged' | 'data-file-lost' | 'data-file-failed';

export class DataFileError extends CodedError<DataFileCode> {}
