// The one connection of the manifests that `--connection` names, and the objects beside it.
import { systemClock } from '../lib/clock.ts';
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { objectOf, stringOf } from '../lib/json-shape.ts';
import type { AnyConnection } from '../policy/resources.ts';
import type { Host } from './host.ts';
import { readPreviewFiles } from './preview-input.ts';
import { fileObjects } from './preview/file-objects.ts';
import type { PreviewObjects } from './preview/file-objects.ts';
import { objectName } from './report/object-name.ts';

interface GivenConnection {
  readonly connection: AnyConnection;
  readonly objects: PreviewObjects;
  /** Of the policies: as given, otherwise that of the manifest. */
  readonly namespace: string | undefined;
}

/** Throws `UsageError` for no connection and for several, and `LocalError` for files with errors. */
export async function readConnection(
  { connection: paths, namespace }: { readonly connection: readonly string[]; readonly namespace: string | undefined },
  host: Host,
): Promise<GivenConnection> {
  if (paths.length === 0) throw new UsageError('--connection is required: give the manifest of the connection.');
  const report = await readPreviewFiles(paths, systemClock.now(), host);
  if (!report) throw new LocalError('The files have errors: correct them; rolealerts validate checks them.');
  const objects = fileObjects(report, namespace ?? 'default');
  const [connection, ...others] = objects.connections;
  if (!connection) throw new UsageError('The files of --connection have no connection.');
  if (others.length > 0) {
    throw new UsageError(`The files of --connection have several: ${objects.connections.map(objectName).join(', ')}.`);
  }
  const named = report.valid.flatMap(({ object }) => stringOf(objectOf(object['metadata'])['namespace']) ?? []);
  return { connection, objects, namespace: namespaceFor(connection, namespace, named[0]) };
}

/** A RoleAlertConnection serves its own namespace only. */
function namespaceFor(
  connection: AnyConnection,
  asked: string | undefined,
  named: string | undefined,
): string | undefined {
  if (connection.kind !== 'RoleAlertConnection') return asked;
  if (asked !== undefined && named !== undefined && asked !== named) {
    throw new UsageError(
      `${objectName(connection)} serves policies of its own namespace only: give --namespace ${named}, or none.`,
    );
  }
  return asked ?? named;
}
