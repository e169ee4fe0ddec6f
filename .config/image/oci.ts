// Writes OCI images as bytes that depend only on what is in them.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import type { ImageConfig } from './dockerfile.ts';
import type { Architecture } from './pins.ts';
import { tarOf, type TarEntry, withFolders } from './tar.ts';

export interface Blob {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly bytes: Uint8Array;
}

export interface Layer {
  readonly blob: Blob;
  /** Of the layer before it was compressed. */
  readonly diffId: string;
}

/** The manifest of an image for one architecture, and all blobs that it needs. */
export interface PlatformImage {
  readonly architecture: Architecture;
  readonly manifest: Blob;
  readonly blobs: readonly Blob[];
}

const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
};

const epoch = '1970-01-01T00:00:00Z';

export function blobOf(bytes: Uint8Array): Blob {
  return { bytes, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
}

const jsonBlob = (value: object) => blobOf(Buffer.from(JSON.stringify(value)));

const descriptor = (mediaType: string, { digest, bytes }: Blob) => ({ mediaType, digest, size: bytes.length });

export async function layerOf(files: readonly TarEntry[]): Promise<Layer> {
  const tar = tarOf(withFolders(files));
  return { blob: blobOf(await promisify(gzip)(tar)), diffId: blobOf(tar).digest };
}

export function platformImage(
  architecture: Architecture,
  config: ImageConfig,
  layers: readonly Layer[],
): PlatformImage {
  const configBlob = jsonBlob({
    created: epoch,
    architecture,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created: epoch })),
  });
  const layerBlobs = layers.map(({ blob }) => blob);
  const manifest = jsonBlob({
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: descriptor(mediaTypes.config, configBlob),
    layers: layerBlobs.map((blob) => descriptor(mediaTypes.layer, blob)),
    annotations: config.Labels,
  });
  return { architecture, manifest, blobs: [...layerBlobs, configBlob, manifest] };
}

/** The index of the image, whose digest names it in a registry, and the archive. `name`: `rolealerts:0.1.0`. */
export function archiveOf(images: readonly PlatformImage[], name: string): { index: Blob; archive: Buffer } {
  const index = jsonBlob({
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: images.map(({ architecture, manifest }) => ({
      ...descriptor(mediaTypes.manifest, manifest),
      platform: { architecture, os: 'linux' },
    })),
  });
  const [, tag = ''] = name.split(':');
  const annotations = {
    'io.containerd.image.name': `docker.io/library/${name}`,
    'org.opencontainers.image.ref.name': tag,
  };
  const layout = {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: [{ ...descriptor(mediaTypes.index, index), annotations }],
  };
  const json = (value: object) => Buffer.from(JSON.stringify(value));
  const blobs = new Map([...images.flatMap((image) => image.blobs), index].map((blob) => [blob.digest, blob]));
  const files: readonly TarEntry[] = [
    { path: 'oci-layout', mode: 0o644, content: json({ imageLayoutVersion: '1.0.0' }) },
    { path: 'index.json', mode: 0o644, content: json(layout) },
    ...[...blobs.values()].map(({ digest, bytes }) => ({
      path: `blobs/${digest.replace(':', '/')}`,
      mode: 0o644,
      content: bytes,
    })),
  ];
  return { index, archive: tarOf(withFolders(files)) };
}
