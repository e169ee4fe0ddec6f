// `npm run release -- --dry-run` prepares a release: it writes every file of it to dist/release, with checksums. Only the workflow
// .github/workflows/release.yaml publishes one.
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';

import { readBuildFacts } from '../src/lib/build-facts.ts';
import { platformName } from '../src/local/machine.ts';
import { foundBinaries } from '../test/support/servers/found-binaries.ts';
import { buildExecutable } from './build-executable.ts';
import { buildImages } from './build-image.ts';
import { architectures } from './image/pins.ts';
import { releaseFiles } from './release/files.ts';
import { tagFindings, versionFindings } from './release/versions.ts';

const usage = 'npm run release -- --dry-run [--output=FOLDER] [--registry=HOST/PATH] [--repository=URL] [--tag=TAG]';

const run = promisify(execFile);

interface Wanted {
  readonly output: string;
  readonly registry: string | undefined;
  readonly repository: string | undefined;
  /** The release must be the one of this tag. */
  readonly tag: string | undefined;
}

/** Writes the files to `output`, which it empties first. The working directory must be the checkout. Throws with what prevents a release. */
export async function prepareRelease({ output, registry, repository, tag }: Wanted): Promise<readonly string[]> {
  const { version, commit } = readBuildFacts();
  const findings = [...versionFindings(version), ...(tag === undefined ? [] : tagFindings(tag, version, commit))];
  if (findings.length > 0) throw new Error(`No release of ${version}:\n${findings.join('\n')}`);
  const { machine, binaries } = await foundBinaries();
  const kustomize = async (folder: string) =>
    (await run(binaries.kubectl, ['kustomize', folder], { maxBuffer: 2 ** 26 })).stdout;
  const images = await buildImages(architectures, ['operator', 'alerts-service']);
  await rm(output, { recursive: true, force: true });
  const file = await buildExecutable(output);
  const { stdout } = await run(file, ['version']);
  if (!stdout.startsWith(`rolealerts ${version}\n`)) throw new Error(`The executable has another version: ${stdout}`);
  const executable = { platform: platformName(machine), bytes: await readFile(file) };
  await rm(file);
  const files = await releaseFiles({ version, images, executable, registry, repository, kustomize });
  await mkdir(output, { recursive: true });
  for (const [name, bytes] of files)
    await writeFile(join(output, name), bytes, name.startsWith(`rolealerts-${version}-`) ? { mode: 0o755 } : {});
  return [...files.keys()];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'dry-run': { type: 'boolean' },
      output: { type: 'string', default: 'dist/release' },
      registry: { type: 'string' },
      repository: { type: 'string' },
      tag: { type: 'string' },
    },
  });
  const { 'dry-run': prepares, output, registry, repository, tag } = values;
  if (!prepares) {
    throw new Error(
      `Only the workflow .github/workflows/release.yaml publishes a release, for the tag of a version. usage: ${usage}`,
    );
  }
  const names = await prepareRelease({ output, registry, repository, tag });
  console.log(`wrote to ${output}:\n${names.join('\n')}`);
}

if (import.meta.main) {
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
