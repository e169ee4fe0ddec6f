// The recorder of `--record`. Its code is loaded with that option only, because most operators record nothing.
import type { FileRecorder, RecorderOptions } from '../recording/file-recorder.ts';
import type { ManagerValues } from './manager-options.ts';

const mebibyte = 1024 * 1024;

export async function loadRecorder(
  directory: string,
  { recordFileSize, recordFiles: files }: ManagerValues,
  options: Omit<RecorderOptions, 'directory' | 'fileBytes' | 'files'>,
): Promise<FileRecorder> {
  const { FileRecorder } = await import('../recording/file-recorder.ts');
  return new FileRecorder({ ...options, directory, fileBytes: recordFileSize * mebibyte, files });
}
