// A release made twice: the same files, apart from the executable. The images need apt-get with the packages of Debian 12.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { prepareRelease } from '../../.config/release.ts';
import { readBuildFacts } from '../../src/lib/build-facts.ts';
import { whyNoImage } from '../support/rigs/image-packages.ts';

const missing = await whyNoImage();

async function release(folder: string) {
  const output = join(folder, 'release');
  await prepareRelease({ output, registry: undefined, repository: undefined, tag: undefined });
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: output });
  return (await readFile(join(output, 'SHA256SUMS'), 'utf8')).split('\n');
}

test.skipIf(missing !== undefined)(
  `a release has the same checksums twice${missing ? `: ${missing}` : ''}`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rolealerts-release-test-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [first, second] = [await release(folder), await release(folder)];
    const { version } = readBuildFacts();
    const executable = `rolealerts-${version}-${process.platform}-`;
    const others = (lines: readonly string[]) => lines.filter((line) => !line.includes(`  ${executable}`));
    expect(others(second)).toEqual(others(first));
    expect(first).toHaveLength(others(first).length + 1);
  },
);
