// `rolealerts replay`: what this version decides on the plans that a controller recorded, and every difference.
import { readBuildFacts } from '../lib/build-facts.ts';
import { LocalError } from '../lib/command-errors.ts';
import { indentedJson } from '../lib/json-shape.ts';
import { readRecording } from '../operator/recording/read-recording.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { exitCodes } from './exit-codes.ts';
import { outputOption } from './options/shared-options.ts';
import { replayText } from './preview/replay-text.ts';
import { Replay, type ReplayReport } from './preview/replay.ts';

export const replayCommand = defineCommand({
  name: 'replay',
  description: descriptions.replay,
  more: `DIR is the directory of \`rolealerts controller --record DIR\`. Needs no cluster and sends nothing: run it with the next version of
the program before you roll it out.`,
  examples: [
    'rolealerts replay plans/',
    'rolealerts replay plans/ -o json | jq \'.differences[] | select(.kind == "Action")\'',
  ],
  exits: {
    success: 'this version decides the same',
    failed: 'a record could not be read',
    remains: 'this version decides differently',
  },
  options: { output: outputOption(['text', 'json']) },
  operands: [{ name: 'DIR', description: 'The directory with the recorded plans.' }],
  async run({ output }, host, [directory = '']) {
    const report = await replayDirectory(directory);
    host.out.write(output === 'json' ? indentedJson(report) : replayText(report));
    const { unreadableRecords, differences } = report.totals;
    if (unreadableRecords > 0) return exitCodes.failed;
    return differences > 0 ? exitCodes.remains : exitCodes.success;
  },
});

async function replayDirectory(directory: string): Promise<ReplayReport> {
  const replay = new Replay();
  for await (const { record, problem, file, line } of readRecording(directory)) {
    const failure = record ? replay.add(record) : problem;
    if (failure !== undefined) replay.addUnreadable(`${file}:${line}: ${failure}`);
  }
  const report = replay.report(readBuildFacts().version);
  if (report.totals.plans + report.totals.unreadableRecords === 0) {
    throw new LocalError(`The files of ${directory} have no whole record: let the controller record for longer.`);
  }
  return report;
}
