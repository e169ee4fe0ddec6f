// `rolealerts export`: policies that declare the live alerts of scopes in the states that they have.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { systemClock } from '../lib/clock.ts';
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { messageOf, unlessStopped } from '../lib/errors.ts';
import { objectOf, stringOf } from '../lib/json-shape.ts';
import { flagOnly } from '../lib/options/option.ts';
import { numberOption } from '../lib/options/quantity.ts';
import { choiceOption, repeatedTextOption, switchOption, textOption } from '../lib/options/text.ts';
import type { AnyConnection } from '../policy/resources.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { exitCodes } from './exit-codes.ts';
import type { Host } from './host.ts';
import { accessOptions } from './options/preview-options.ts';
import { listRequest, openPreviewAccess, readPreviewFiles } from './preview-input.ts';
import { exportScope, type ScopeExport } from './preview/export-policy.ts';
import { exportFailures, exportNotes, exportYaml } from './preview/export-text.ts';
import { fileObjects, type PreviewObjects } from './preview/file-objects.ts';
import { listScopes } from './preview/list-scopes.ts';
import { withClients } from './preview/open-client.ts';
import { readScopes } from './preview/read-scopes.ts';
import { objectName } from './report/object-name.ts';

const dayMs = 86_400_000;

const options = {
  connection: flagOnly(
    repeatedTextOption({
      flag: 'connection',
      placeholder: 'PATH',
      description:
        'The manifest of the connection, and of its Secret and ConfigMap: a file, a directory, or - for standard input. Repeatable. Required.',
    }),
  ),
  scope: flagOnly(
    repeatedTextOption({
      flag: 'scope',
      placeholder: 'SCOPE',
      description: 'A scope to export. Repeatable.',
    }),
  ),
  scopesFrom: flagOnly(
    textOption({
      flag: 'scopes-from',
      placeholder: 'FILE',
      description:
        'A file with one scope a line, or - for standard input. A # begins a comment; behind a scope it is its display name.',
    }),
  ),
  namespace: textOption({
    flag: 'namespace',
    letter: 'n',
    placeholder: 'NAMESPACE',
    description: 'The namespace of the policies. Default: that of the connection, or none.',
  }),
  mode: choiceOption({
    flag: 'mode',
    choices: ['Observe', 'Enforce'],
    fallback: 'Observe',
    description: 'The mode of the policies.',
  }),
  activeOnly: switchOption({
    flag: 'active-only',
    description: 'Leave out the inactive alerts instead of declaring dismissals.',
  }),
  dismissalDays: numberOption({
    flag: 'dismissal-days',
    fallback: 90,
    least: 1,
    most: 3650,
    defaultText: '90',
    description:
      'Days until the dismissals of inactive alerts end. Those that name no incidents, and all with limits.dismissalsNeedEnd, end within limits.maxDismissal.',
  }),
  outputDir: flagOnly(
    textOption({
      flag: 'output-dir',
      placeholder: 'DIRECTORY',
      description: 'Write one file for each scope there. Default: one YAML stream on standard output.',
    }),
  ),
  ...accessOptions,
};

export const exportCommand = defineCommand({
  name: 'export',
  description: descriptions.export,
  more: `Lists each scope once and changes nothing. Active alerts are declared Active. Inactive ones are declared with a dismissal that covers
their present incidents only, and whose reason a person has to fill in: validate and the API server refuse the one that is exported.
After that, plan shows no change.`,
  examples: [
    'rolealerts export --connection prod.yaml --scope subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590',
    'rolealerts export --connection prod.yaml --scopes-from scopes.txt -n payments --output-dir policies',
    'rolealerts export --connection prod.yaml --scopes-from - --active-only < scopes.txt > policies.yaml',
  ],
  exits: { failed: 'failed, also for single scopes; the others are exported' },
  options,
  async run(values, host) {
    const { connection, objects, namespace } = await readConnection(values, host);
    const reading = readScopes(values.scope, values.scopesFrom, (limitBytes) => host.input.read(limitBytes));
    const scopes = await unlessStopped(reading, host.stopping, 'The command was stopped.');
    if (scopes.length === 0) throw new UsageError('Name the scopes to export: --scope SCOPE, or --scopes-from FILE.');
    const access = await openPreviewAccess(objects, values, host);
    const asked = scopes.map(({ scope, ...named }) => ({ connection, ref: { scope }, named }));
    const listings = await withClients([connection], access, (clientOf) =>
      listScopes(asked, clientOf, listRequest(host)),
    );
    const about = {
      connection,
      namespace,
      mode: values.mode,
      isActiveOnly: values.activeOnly,
      dismissalMs: values.dismissalDays * dayMs,
      nowMs: systemClock.now(),
    };
    const exported = [...listings].flatMap(([{ ref, named }, listing]) =>
      'alerts' in listing ? [exportScope(ref.scope, listing.alerts, { ...about, ...named })] : [],
    );
    await write(exported, values.outputDir, host);
    const failures = exportFailures(listings);
    const notes = exportNotes(exported, listings.size - exported.length, about);
    for (const note of [...notes, ...failures]) host.err.write(`rolealerts: ${note}\n`);
    return failures.length === 0 ? exitCodes.success : exitCodes.failed;
  },
});

async function write(exported: readonly ScopeExport[], directory: string | undefined, { out }: Host): Promise<void> {
  if (directory === undefined) return out.write(exportYaml(exported.flatMap(({ policies }) => policies)));
  const files = exported.flatMap(({ policies }) => {
    const [first] = policies;
    return first ? [[`${first.metadata.name}.yaml`, exportYaml(policies)] as const] : [];
  });
  await writeNewFiles(directory, new Map(files));
}

/** The one connection of the manifests that `--connection` names, and the objects beside it. */
interface GivenConnection {
  readonly connection: AnyConnection;
  readonly objects: PreviewObjects;
  /** Of the policies: as given, otherwise that of the manifest. */
  readonly namespace: string | undefined;
}

/** Throws `UsageError` for no connection and for several, and `LocalError` for files with errors. */
async function readConnection(
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

/** `files`: texts by name. Creates the directory. Writes nothing, and throws `UsageError`, when one of the files exists: it may hold what a person filled in. */
async function writeNewFiles(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  const existing = [...files.keys()].map((name) => join(directory, name)).find((path) => existsSync(path));
  if (existing !== undefined) {
    throw new UsageError(`${existing} exists, so nothing was written: remove it, or give another --output-dir.`);
  }
  try {
    await mkdir(directory, { recursive: true });
    for (const [name, text] of files) await writeFile(join(directory, name), text, { flag: 'wx' });
  } catch (error) {
    throw new LocalError(`The files cannot be written to ${directory}: ${messageOf(error)}.`);
  }
}
