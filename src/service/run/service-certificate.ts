// TLS of `rolealerts serve`: validates the combination of flags, and writes the CA certificate for clients.
import { readFile, writeFile } from 'node:fs/promises';

import { UsageError, LocalError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import type { TLSSource } from '../tls/tls.ts';

/** The values of the flags of those names. */
interface TLSValues {
  readonly tlsCertFile: string | undefined;
  readonly tlsKeyFile: string | undefined;
  readonly tlsSelfSigned: boolean;
  readonly tlsCAOut: string | undefined;
}

/** Undefined means plain HTTP. Throws `UsageError` for flags that do not go together. */
export function decodeTLS({ tlsCertFile, tlsKeyFile, tlsSelfSigned, tlsCAOut }: TLSValues): TLSSource | undefined {
  const files = tlsCertFile ?? tlsKeyFile;
  if (tlsSelfSigned && files !== undefined) refuse('--tls-self-signed and --tls-cert-file exclude each other.');
  if (tlsCAOut !== undefined && !tlsSelfSigned) refuse('--tls-ca-out needs --tls-self-signed.');
  if (tlsSelfSigned) return { kind: 'self-signed' };
  if (files === undefined) return undefined;
  if (tlsCertFile === undefined || tlsKeyFile === undefined)
    refuse('--tls-cert-file and --tls-key-file need each other.');
  return { kind: 'files', certificateFile: tlsCertFile, keyFile: tlsKeyFile };
}

/**
 * The file is world-readable, because a certificate is public. A file with the same text is left as it is, because the disk may be full.
 * Throws `LocalError`.
 */
export async function writeAuthority(file: string, authority: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => undefined)) === authority) return;
  await writeFile(file, authority, { mode: 0o644 }).catch((cause: unknown) => {
    throw new LocalError(`The CA cannot be written to ${file}: ${messageOf(cause)}.`);
  });
}

function refuse(message: string): never {
  throw new UsageError(message);
}
