// The process of the alerts service as `deploy/alerts-service` runs it.
import { readFile } from 'node:fs/promises';

export interface Deployed {
  readonly nodeFlags: readonly string[];
  readonly limitBytes: number;
}

/** Node's flags and the limit of memory. */
export async function readDeployment(): Promise<Deployed> {
  const text = await readFile(new URL('../../../deploy/alerts-service/deployment.yaml', import.meta.url), 'utf8');
  const [, command = ''] = /command: \[(.*)\]$/m.exec(text) ?? [];
  const nodeFlags = command.split(', ').filter((word) => word.startsWith('--'));
  const [, limit] = /memory: (\d+)Mi$/m.exec(text.split('limits:')[1] ?? '') ?? [];
  return { nodeFlags, limitBytes: Number(limit) * 1024 * 1024 };
}
