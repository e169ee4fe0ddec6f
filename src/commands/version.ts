// `rolealerts version` and `rolealerts --version`: what to quote in a report of a problem.
import { readBuildFacts } from '../lib/build-facts.ts';
import { indentedJson } from '../lib/json-shape.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { outputOption } from './options/shared-options.ts';

export const versionCommand = defineCommand({
  name: 'version',
  description: descriptions.version,
  more: 'The first line is for scripts. rolealerts doctor compares the CRDs and the operator of a cluster with this version.',
  examples: ['rolealerts version', 'rolealerts version -o json'],
  options: { output: outputOption(['text', 'json']) },
  async run({ output }, { facts, nodeVersion: node, out }) {
    const { version, commit } = readBuildFacts();
    const client = { version, commit, node, platform: `${facts.platform}/${facts.arch}` };
    out.write(output === 'json' ? versionJson(client) : versionText(client));
    return 0;
  },
});

interface ClientVersion {
  readonly version: string;
  readonly commit: string;
  /** `v26.10.0` */
  readonly node: string;
  /** `linux/x64` */
  readonly platform: string;
}

function versionText({ version, commit, node, platform }: ClientVersion): string {
  return `rolealerts ${version}\ncommit:   ${commit}\nnode:     ${node}\nplatform: ${platform}\n`;
}

/** The shape is a contract: within a version members may be added, never renamed or removed. */
function versionJson(client: ClientVersion): string {
  return indentedJson({ apiVersion: 'cli.rolealerts.dev/v1', kind: 'VersionReport', client });
}
