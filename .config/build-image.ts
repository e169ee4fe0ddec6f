// `npm run build:image` writes dist/image/rolealerts-VERSION.tar: the image as an OCI archive for both architectures, without Docker and without
// a registry, and its bills of materials beside it. The same checkout gives the same digest. deploy/Dockerfile says how the image runs, and builds the same files with Docker.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { readBuildFacts } from '../src/lib/build-facts.ts';
import { configOf, type Target, targets } from './image/dockerfile.ts';
import { currentPins } from './image/fetch.ts';
import { buildProgram, libraryFiles, nodeFiles } from './image/files.ts';
import { archiveOf, type Layer, layerOf, platformImage } from './image/oci.ts';
import { type Architecture, architectures } from './image/pins.ts';
import { type Bills, billsOf, componentsOf } from './image/sbom.ts';

const imageNames: Readonly<Record<Target, string>> = {
  operator: 'rolealerts',
  'alerts-service': 'rolealerts-service',
};

export interface BuiltImage {
  /** `rolealerts:0.1.0` */
  readonly name: string;
  /** The digest that a registry gives it. */
  readonly digest: string;
  /** The OCI archive. */
  readonly archive: Buffer;
  readonly bills: Bills;
}

/** One image for each target, with the same layers. The working directory must be the checkout. */
export async function buildImages<const T extends readonly Target[]>(
  platforms: readonly Architecture[],
  of: T,
): Promise<{ [K in keyof T]: BuiltImage }> {
  const { version, commit } = readBuildFacts();
  const { devDependencies } = JSON.parse(await readFile('package.json', 'utf8')) as {
    devDependencies: { node: string };
  };
  const { files, modules } = await buildProgram();
  const program = await layerOf(files);
  const layers: (readonly [Architecture, readonly Layer[]])[] = [];
  for (const architecture of platforms) {
    const libraries = await layerOf(await libraryFiles(architecture));
    const node = await layerOf(await nodeFiles(architecture, devDependencies.node));
    layers.push([architecture, [libraries, node, program]]);
  }
  const components = componentsOf(modules, devDependencies.node);
  const built = of.map((target): BuiltImage => {
    const config = configOf(target);
    const labels = { ...config.Labels, 'org.opencontainers.image.revision': commit };
    const images = layers.map(([architecture, each]) =>
      platformImage(architecture, { ...config, Labels: labels }, each),
    );
    const name = `${imageNames[target]}:${version}`;
    const { index, archive } = archiveOf(images, name);
    return { name, digest: index.digest, archive, bills: billsOf(components, { name: imageNames[target], version }) };
  });
  return built as { [K in keyof T]: BuiltImage };
}

const usage = 'npm run build:image -- [--target=operator|alerts-service] [--platform=amd64|arm64] [--pins]';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      target: { type: 'string', default: 'operator' },
      platform: { type: 'string' },
      pins: { type: 'boolean' },
    },
  });
  const target = targets.find((each) => each === values.target);
  const platforms = architectures.filter((each) => values.platform === undefined || each === values.platform);
  if (target === undefined || platforms.length === 0) throw new Error(`usage: ${usage}`);
  if (values.pins) {
    for (const each of platforms) console.log(`${each}\n${await currentPins(each)}`);
    return;
  }
  const [{ name, digest, archive, bills }] = await buildImages(platforms, [target]);
  const base = join('dist', 'image', name.replace(':', '-'));
  await mkdir(join('dist', 'image'), { recursive: true });
  await writeFile(`${base}.tar`, archive);
  await writeFile(`${base}.cdx.json`, bills.cycloneDX);
  await writeFile(`${base}.spdx.json`, bills.spdx);
  console.log(`wrote ${base}.tar and its bills of materials: ${name} for ${platforms.join(' and ')}, ${digest}`);
}

if (import.meta.main) await main();
