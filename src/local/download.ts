// Downloads a file and verifies its checksum.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { LocalError } from '../lib/command-errors.ts';
import { messageOf } from '../lib/errors.ts';
import type { Machine } from './machine.ts';
import type { Progress } from './progress.ts';

export interface Checksum {
  readonly algorithm: 'sha256' | 'sha512';
  /** Lower-case hexadecimal. */
  readonly hex: string;
}

export interface Download {
  readonly url: string;
  readonly checksum: Checksum;
  /** The destination. The file appears there complete and verified, or not at all. */
  readonly path: string;
  readonly bodyLimitBytes: number;
}

/** Short, so that a machine without internet access proceeds to the next source soon. */
const headersWithinMs = 6000;
const silenceWithinMs = 30_000;
const checksumLimitBytes = 1024;

/** Does nothing when the destination already has the checksum. Throws `LocalError` with a message for the user. */
export async function downloadFile(machine: Machine, progress: Progress, download: Download): Promise<void> {
  if ((await checksumOf(download.path, download.checksum.algorithm)) === download.checksum.hex) return;
  const partPath = `${download.path}.part`;
  try {
    const actual = await saveBody(machine, progress, download, partPath);
    if (actual !== download.checksum.hex) {
      throw new LocalError(`${download.url} does not have the expected ${download.checksum.algorithm} checksum`);
    }
    await rename(partPath, download.path);
  } finally {
    await rm(partPath, { force: true });
  }
}

/** Reads the checksum file that a site publishes next to a file: its first word is the checksum. */
export async function readPublishedChecksum(
  machine: Machine,
  url: string,
  algorithm: Checksum['algorithm'],
): Promise<Checksum> {
  const chunks: Buffer[] = [];
  await request(machine, url, checksumLimitBytes, (chunk) => chunks.push(chunk));
  const [hex = ''] = Buffer.concat(chunks).toString('utf8').trim().toLowerCase().split(/\s/);
  const digits = algorithm === 'sha256' ? 64 : 128;
  if (hex.length !== digits || /[^0-9a-f]/.test(hex)) {
    throw new LocalError(`${url} does not contain a ${algorithm} checksum`);
  }
  return { algorithm, hex };
}

async function saveBody(machine: Machine, progress: Progress, download: Download, path: string): Promise<string> {
  const hash = createHash(download.checksum.algorithm);
  const file = createWriteStream(path);
  const step = { name: `downloading ${download.url.slice(download.url.lastIndexOf('/') + 1)}`, unit: 'bytes' as const };
  let doneBytes = 0;
  const count = (chunk: Buffer, totalBytes: number | undefined) => {
    hash.update(chunk);
    doneBytes += chunk.length;
    progress.advance(step, doneBytes, totalBytes);
  };
  await request(machine, download.url, download.bodyLimitBytes, count, file);
  return hash.digest('hex');
}

/** GET with a deadline for the headers and for each chunk. Follows redirects, which release sites use. */
async function request(
  machine: Machine,
  url: string,
  bodyLimitBytes: number,
  onChunk: (chunk: Buffer, totalBytes: number | undefined) => void,
  sink?: NodeJS.WritableStream,
): Promise<void> {
  const abort = new AbortController();
  const expire = (message: string) => () => abort.abort(new LocalError(message));
  let timer = machine.clock.setTimer(
    headersWithinMs,
    expire(`${url} did not respond within ${headersWithinMs / 1000} s`),
  );
  try {
    const response = await machine.fetch(url, { signal: abort.signal, headers: { 'accept-encoding': 'identity' } });
    if (response.status !== 200 || !response.body) {
      await response.body?.cancel();
      throw new LocalError(`${url} responded with ${response.status}`, { status: response.status });
    }
    const length = response.headers.get('content-length');
    let seenBytes = 0;
    const watch = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        timer.cancel();
        timer = machine.clock.setTimer(silenceWithinMs, expire(`${url} sent no data for ${silenceWithinMs / 1000} s`));
        seenBytes += chunk.length;
        onChunk(chunk, length === null ? undefined : Number(length));
        done(seenBytes > bodyLimitBytes ? new LocalError(`${url} is larger than expected`) : null, chunk);
      },
    });
    const body = Readable.from(response.body);
    if (sink) await pipeline(body, watch, sink, { signal: abort.signal });
    else await pipeline(body, watch.resume(), { signal: abort.signal });
  } catch (error) {
    if (error instanceof LocalError) throw error;
    if (abort.signal.reason instanceof LocalError) throw abort.signal.reason;
    throw new LocalError(`Cannot download ${url}: ${messageOf(error)}`, { cause: error });
  } finally {
    timer.cancel();
  }
}

async function checksumOf(path: string, algorithm: string): Promise<string | undefined> {
  const hash = createHash(algorithm);
  try {
    await pipeline(createReadStream(path), hash);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}
