// The folder of a control plane: its data, and the keys and token that its programs read.
import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { makeDirectory } from '../lib/make-directory.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { controlPlaneFiles } from './control-plane-programs.ts';
import { writePrivateFile } from './kubeconfig.ts';

/** Creates the folder, readable by its owner only. Resolves with its absolute path. */
export async function makeDataDirectory(configured: string | undefined): Promise<string> {
  if (configured === undefined) return mkdtemp(join(tmpdir(), 'rolealerts-control-plane-'));
  await makeDirectory(configured, 0o700);
  await chmod(configured, 0o700);
  return resolve(configured);
}

/** Writes the keys for service accounts and the token of the administrator. */
export async function writeCredentials(dataDirectory: string, adminToken: SecretText): Promise<void> {
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const write = (name: string, text: string) => writePrivateFile(join(dataDirectory, name), text);
  await write(controlPlaneFiles.serviceAccountKey, keys.privateKey);
  await write(controlPlaneFiles.serviceAccountPublicKey, keys.publicKey);
  await write(
    controlPlaneFiles.tokens,
    `${adminToken.reveal()},rolealerts-local-admin,rolealerts-local-admin,system:masters\n`,
  );
}
