// The first line in the log of a service command.
import { readBuildFacts } from '../lib/build-facts.ts';
import type { Logger } from '../lib/log.ts';
import type { Options, Values } from '../lib/options/option.ts';
import type { BuildLabels } from '../operator/manager/manager-options.ts';
import type { Host } from './host.ts';
import { changedOptions } from './options/changed-options.ts';

/**
 * Logs what runs here: version, commit, Node, and the options that differ from their defaults. Call it before a port is opened or
 * a file is read, so that the log of a failed start has it as well. Returns what it logged of the build.
 */
export function logStart<Set extends Options>(log: Logger, options: Set, values: Values<Set>, host: Host): BuildLabels {
  const build = { ...readBuildFacts(), node: host.nodeVersion };
  log.info({ ...build, options: changedOptions(options, values) }, 'starting');
  return build;
}
