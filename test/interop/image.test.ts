// The image: the same digest twice, and a root file system on which the program runs without rights and without writing to it. arm64 is shown
// as far as its libraries. dockerfile.nightly.ts shows that the Dockerfile makes the same files.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build, type OutputOptions } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type BuiltImage, buildImages } from '../../.config/build-image.ts';
import { dockerfile, type ImageConfig } from '../../.config/image/dockerfile.ts';
import { buildProgram, libraryFiles } from '../../.config/image/files.ts';
import type { Architecture } from '../../.config/image/pins.ts';
import { bundleApart } from '../../.config/rolldown.ts';
import { readBuildFacts } from '../../src/lib/build-facts.ts';
import { whyNoImage } from '../support/rigs/image-packages.ts';

interface Descriptor {
  readonly digest: string;
}

const here: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

function run(file: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${error?.message ?? ''}${stdout}${stderr}`);
  return stdout;
}

const isRoot = process.getuid?.() === 0;
const missing = await whyNoImage();

describe.skipIf(missing !== undefined)(`the image${missing === undefined ? '' : `: ${missing}`}`, () => {
  let folder: string;
  let root: string;
  let built: BuiltImage;
  let config: ImageConfig;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolealerts-image-test-'));
    root = join(folder, 'root');
    mkdirSync(root);
    [built] = await buildImages([here], ['operator']);
    const layout = join(folder, 'layout');
    mkdirSync(layout);
    writeFileSync(join(folder, 'image.tar'), built.archive);
    run('tar', ['-xf', join(folder, 'image.tar'), '-C', layout]);
    const fileOf = ({ digest }: Descriptor) => join(layout, 'blobs', digest.replace(':', '/'));
    const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
    const index = read(fileOf(built)) as { manifests: readonly [Descriptor] };
    const manifest = read(fileOf(index.manifests[0])) as { config: Descriptor; layers: Descriptor[] };
    for (const layer of manifest.layers) run('tar', ['-xzf', fileOf(layer), '-C', root]);
    ({ config } = read(fileOf(manifest.config)) as { config: ImageConfig });
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('has the same digest and the same bill of materials when it is built again', async () => {
    const [again] = await buildImages([here], ['operator']);
    expect(again.digest).toBe(built.digest);
    expect(again.bills).toEqual(built.bills);
  });

  test('runs as a user without rights, and says what it is', () => {
    const { version } = readBuildFacts();
    expect(config).toMatchObject({
      User: '65532:65532',
      Cmd: ['controller'],
      ExposedPorts: { '8080/tcp': {}, '9440/tcp': {} },
      Labels: { 'org.opencontainers.image.version': version, 'org.opencontainers.image.revision': expect.any(String) },
    });
  });

  const users = { 'that of the image': '65532:65532', 'one that OpenShift assigns': '1000650000:0' };
  test.skipIf(!isRoot).each(Object.entries(users))(
    'runs on a root that is read-only, as a user without rights: %s',
    (_, user) => {
      const script = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && exec chroot --userspec=${user} "$0" "$@"`;
      const [node = '', ...args] = config.Entrypoint ?? [];
      const environment = Object.fromEntries((config.Env ?? []).map((each) => each.split('=')));
      const started = spawnSync(
        '/usr/bin/unshare',
        ['--mount', '/bin/sh', '-c', script, root, `${environment['PATH']}/${node}`, ...args, 'version'],
        { encoding: 'utf8', env: { ...environment, PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } },
      );
      const { version } = readBuildFacts();
      expect(started).toMatchObject({ status: 0, stderr: '' });
      expect(started.stdout).toContain(`rolealerts ${version}\n`);
    },
  );

  test('a build for the Dockerfile leaves no file of an earlier one', async () => {
    const dir = join(folder, 'dist');
    mkdirSync(dir);
    writeFileSync(join(dir, 'rolealerts-stale.mjs'), '');
    const bundle = bundleApart();
    const output: OutputOptions = bundle.output;
    await build({ ...bundle, output: { ...output, dir } });
    const built = await buildProgram();
    const names = built.files.flatMap(({ path }) => /rolealerts\/(.*\.mjs)$/.exec(path)?.[1] ?? []);
    expect(globSync('*', { cwd: dir }).toSorted()).toEqual(names.toSorted());
  });

  test('contains no command that needs a checkout', () => {
    const names = globSync('opt/rolealerts/*', { cwd: root });
    expect(names).toContain('opt/rolealerts/rolealerts-serve.mjs');
    expect(names.filter((name) => /-(?:demo|run-demo|local|find-binaries)\.mjs$/.test(name))).toEqual([]);
  });

  test('has libraries of its architecture, each of which the Dockerfile names', async () => {
    const machineOf = (content: Uint8Array | undefined) => content?.[18];
    const text = readFileSync(dockerfile, 'utf8');
    for (const [architecture, machine] of [
      ['amd64', 62],
      ['arm64', 183],
    ] as const) {
      const files = await libraryFiles(architecture);
      const libraries = files.filter(({ path }) => !path.includes('/doc/'));
      expect(libraries.map(({ content }) => machineOf(content))).toEqual(libraries.map(() => machine));
      expect(files.map(({ path }) => `/${path}`).filter((path) => !text.includes(path))).toEqual([]);
    }
  });
});
