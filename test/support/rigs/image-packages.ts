// Whether this machine can build the image.
import { NotFetchedError } from '../../../.config/image/fetch.ts';
import { libraryFiles } from '../../../.config/image/files.ts';
import { architectures } from '../../../.config/image/pins.ts';

/** Undefined where apt-get has the packages of the image. Another error, such as a wrong checksum, is thrown. */
export async function whyNoImage(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'Debian packages are unpacked on Linux only';
  try {
    for (const each of architectures) await libraryFiles(each);
    return undefined;
  } catch (error) {
    if (error instanceof NotFetchedError) return error.message.split('\n')[0];
    throw error;
  }
}
