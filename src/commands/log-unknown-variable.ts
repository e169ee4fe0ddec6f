// The warning about a misspelled environment variable in the log of a service, where all its lines have one format.
import type { Host } from './host.ts';
import { type LogValues, openLog } from './open-log.ts';
import type { UnknownVariable } from './unknown-variables.ts';

export async function logUnknownVariable(unknown: UnknownVariable, values: LogValues, host: Host): Promise<void> {
  const { log } = await openLog(values, host);
  log.warn(unknown, 'unknown environment variable ignored');
}
