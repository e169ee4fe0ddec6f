// helm, built from Go modules (helm/go.mod).
import { fileURLToPath } from 'node:url';

import { buildGoTool } from './go-tool.ts';

const program = fileURLToPath(new URL('../../../.rolealerts/helm/helm', import.meta.url));

/** Resolves with its file. */
export async function buildHelm(): Promise<string> {
  await buildGoTool('helm', 'helm.sh/helm/v3/cmd/helm', program);
  return program;
}
