// Reads the files of `--filename`, until the command is stopped.
import { unlessStopped } from '../lib/unless-stopped.ts';
import type { Host } from './host.ts';
import { type ManifestFile, readManifestFiles } from './manifests/manifest-files.ts';

/** Throws as `readManifestFiles`, and a `StoppedError`. */
export async function readManifests(paths: readonly string[], host: Host): Promise<readonly ManifestFile[]> {
  const reading = readManifestFiles(paths, (limitBytes) => host.input.read(limitBytes));
  return unlessStopped(reading, host.stopping, 'The command was stopped.');
}
