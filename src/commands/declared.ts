// The policies and connections that a report is about: those of the files that `--filename` names, otherwise those of a cluster.
import { systemClock } from '../lib/clock.ts';
import { LocalError } from '../lib/command-errors.ts';
import type { AnyConnection, RoleAlertPolicy } from '../policy/resources.ts';
import { readFleet } from './cluster/read-fleet.ts';
import type { Host } from './host.ts';
import { readPreviewFiles } from './preview-input.ts';
import { fileObjects } from './preview/file-objects.ts';
import { type ViewerValues, withViewer } from './viewer.ts';

export interface DeclaredValues extends ViewerValues {
  readonly filename: readonly string[];
}

export interface Declared {
  readonly policies: readonly RoleAlertPolicy[];
  readonly connections: readonly AnyConnection[];
  /** False when policies of other namespaces were not read. */
  readonly isWhole: boolean;
}

/** Throws `LocalError` for files with errors, and as `withViewer`. */
export async function readDeclared(values: DeclaredValues, host: Host): Promise<Declared> {
  if (values.filename.length > 0) return declaredByFiles(values, host);
  return withViewer(values, host, async (place) => ({
    ...(await readFleet(place)),
    isWhole: place.namespace === undefined,
  }));
}

async function declaredByFiles({ filename, namespace = 'default' }: DeclaredValues, host: Host): Promise<Declared> {
  const report = await readPreviewFiles(filename, systemClock.now(), host);
  if (!report) throw new LocalError('The files have errors: correct them; rolealerts validate checks them.');
  const { policies, connections } = fileObjects(report, namespace);
  return { policies, connections, isWhole: true };
}
