// The kubeconfig of a local control plane: it verifies the certificate, and only its owner can read the token.
import { chmod, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { stringify } from 'yaml';

import { makeDirectory } from '../lib/make-directory.ts';
import type { SecretText } from '../lib/secret-text.ts';

export interface KubeconfigFacts {
  readonly url: string;
  /** The API server's certificate and its CA, in PEM. */
  readonly certificateAuthority: string;
  readonly token: SecretText;
  /** Impersonated user (`--as`, `--as-group`). Absent: none. */
  readonly impersonate?: { readonly user: string; readonly groups: readonly string[] };
}

export function renderKubeconfig(facts: KubeconfigFacts): string {
  const name = 'rolealerts-local';
  const as = facts.impersonate && { as: facts.impersonate.user, 'as-groups': [...facts.impersonate.groups] };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server: facts.url,
          'certificate-authority-data': Buffer.from(facts.certificateAuthority).toString('base64'),
        },
      },
    ],
    users: [{ name, user: { token: facts.token.reveal(), ...as } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}

/** Replaces the file atomically; only its owner can read it. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await makeDirectory(dirname(path), 0o700);
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
}
