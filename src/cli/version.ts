// `rolealerts version` and `rolealerts --version`: what to quote in a report of a problem.
import { type BuildFacts, readBuildFacts } from '../lib/build-facts.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import type { Host } from './host.ts';

export const versionCommand = defineCommand({
  name: 'version',
  description: descriptions.version,
  options: {},
  async run(_values, host) {
    host.out.write(renderVersion(readBuildFacts(), host));
    return 0;
  },
});

/** The first line is the one that scripts read. */
export function renderVersion({ version, commit }: BuildFacts, { facts, nodeVersion }: Host): string {
  return `rolealerts ${version}\ncommit:   ${commit}\nnode:     ${nodeVersion}\nplatform: ${facts.platform}/${facts.arch}\n`;
}
