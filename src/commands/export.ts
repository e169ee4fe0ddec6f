// `rolealerts export`: policies that declare the live alerts of scopes in the states that they have.
import { systemClock } from '../lib/clock.ts';
import { UsageError } from '../lib/command-errors.ts';
import { unlessStopped } from '../lib/unless-stopped.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { exitCodes } from './exit-codes.ts';
import { readConnection } from './given-connection.ts';
import type { Host } from './host.ts';
import { exportOptions } from './options/export-options.ts';
import { listProgress, openPreviewAccess } from './preview-input.ts';
import { exportScope, type ScopeExport } from './preview/export-policy.ts';
import { exportFailures, exportNotes, exportYaml } from './preview/export-text.ts';
import { listThrough } from './preview/list-scopes.ts';
import { readScopes } from './preview/read-scopes.ts';
import { writeNewFiles } from './preview/write-new-files.ts';

const dayMs = 86_400_000;

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
  options: exportOptions,
  async run(values, host) {
    const { connection, objects, namespace } = await readConnection(values, host);
    const reading = readScopes(values.scope, values.scopesFrom, (limitBytes) => host.input.read(limitBytes));
    const scopes = await unlessStopped(reading, host.stopping, 'The command was stopped.');
    if (scopes.length === 0) throw new UsageError('Name the scopes to export: --scope SCOPE, or --scopes-from FILE.');
    const access = await openPreviewAccess(objects, values, host);
    const listings = await listThrough(scopes, connection, access, host.stopping, listProgress(host));
    const options = {
      connection,
      namespace,
      mode: values.mode,
      isActiveOnly: values.activeOnly,
      dismissalMs: values.dismissalDays * dayMs,
      nowMs: systemClock.now(),
    };
    const exported = [...listings].flatMap(([scope, listing]) =>
      'alerts' in listing ? [exportScope(scope, listing.alerts, options)] : [],
    );
    await write(exported, values.outputDir, host);
    const failures = exportFailures(listings);
    const notes = exportNotes(exported, listings.size - exported.length, options);
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
