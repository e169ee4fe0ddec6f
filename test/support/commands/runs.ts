// The command lines that the tests of the tiers process and cluster run, by exit code: every command, in every format, with every exit
// code that it has. One of each command is enough where format and exit code change nothing. `{n}` is another number in each run, and `./` the
// folder of the files.
import type { CommandSpec } from '../../../src/commands/command.ts';

type Code = 0 | 1 | 2;

export interface CommandRun {
  /** `serve backup`. */
  readonly command: string;
  /** Undefined for a command without formats. */
  readonly format: string | undefined;
  readonly code: Code;
  /** The command line without the program's name. */
  readonly line: string;
}

type RunLines = Readonly<Partial<Record<Code, readonly string[]>>>;

/** In a folder with files, with an alerts service, and with the kubeconfig of an API server that does not answer. */
const fileRuns: RunLines = {
  0: [
    'validate -f ./good.yaml',
    'plan -f ./good.yaml',
    'plan -f ./good.yaml --activate',
    'status -f ./good.yaml',
    'status -f ./good.yaml --show budget',
    'export --connection ./good.yaml --scope subscriptions/a',
    'replay ./plans',
    'trace BudgetTooSmall',
    'completion bash',
    'completion zsh',
    'completion fish',
    'version',
    'serve backup --data ./alerts.db ./copy-{n}.db',
    'serve ca --data ./alerts.db',
    'local down --state-dir ./none',
  ],
  1: [
    'validate -f ./broken.yaml',
    'plan -f ./broken.yaml',
    'plan -f ./lost.yaml',
    'plan -f ./lost.yaml --activate',
    'status -f ./broken.yaml',
    'export --connection ./good.yaml --scope subscriptions/a --scope subscriptions/absent',
    'replay ./damaged',
    'serve --listen 203.0.113.1:80 --static-token a-static-token-of-forty-or-more-characters',
    'serve backup --data ./token ./copy-{n}.db',
    'serve ca --data ./token',
    'login --auth-url http://127.0.0.1:1 --no-browser --timeout 1s',
    'status -A',
    'ui',
    'trace owners',
    'reconcile owners',
    'suspend owners',
    'resume owners',
    'doctor',
    'local up --state-dir ./token',
    'local down --state-dir ./token',
    'local status --state-dir ./none',
  ],
  2: ['plan -f ./drifted.yaml', 'plan -f ./dismissed.yaml --activate', 'replay ./other'],
};

/** In a namespace with a policy and a connection, without an operator. */
const clusterRuns: RunLines = {
  0: [
    'status',
    'status owners --show incidents,dismissals,timeline,budget',
    'trace connection/prod',
    'trace owners',
    'reconcile owners',
    'suspend owners',
    'resume owners',
  ],
  1: ['doctor', 'reconcile owners --wait --timeout 1s', 'trace absent', 'status absent'],
  2: ['status --not-ready'],
};

/** What a table of command lines cannot have, and the test that has it. */
export const elsewhere: Readonly<Record<string, string>> = {
  'controller 0': 'process/command-examples.test.ts',
  'controller 1': 'process/operator-process.test.ts',
  'serve 0': 'process/terminal.test.ts',
  'serve hash 0': 'process/command-examples.test.ts',
  'serve hash 1': 'process/main.test.ts',
  'login 0': 'process/login.test.ts',
  'ui 0': 'cluster/command-ui.test.ts',
  'doctor 0': 'cluster/command-doctor.test.ts',
  'demo 0': 'process/demo.test.ts',
  'demo 1': 'process/demo.nightly.ts',
  'local up 0': 'process/command-examples.test.ts',
  'local status 0': 'process/command-examples.test.ts',
  'completion 1': 'process/main.test.ts',
  'version 1': 'process/main.test.ts',
};

export interface CommandRuns {
  readonly withFiles: readonly CommandRun[];
  readonly withCluster: readonly CommandRun[];
  /** One of them for each command, to be tried as a process beside and on a terminal. */
  readonly onTerminals: ReadonlySet<CommandRun>;
}

export function commandRuns(commands: ReadonlyMap<string, CommandSpec>): CommandRuns {
  const withFiles = expandRuns(fileRuns, commands);
  const withCluster = expandRuns(clusterRuns, commands);
  const all = [...withFiles, ...withCluster];
  const chosen = [...commands.keys()].flatMap((name) => chooseRun(all.filter(({ command }) => command === name)) ?? []);
  return { withFiles, withCluster, onTerminals: new Set(chosen) };
}

/** The widest table that the command prints, or else its first success, or else a failure. */
function chooseRun(runs: readonly CommandRun[]): CommandRun | undefined {
  return runs.findLast(hasTable) ?? runs.find(({ code }) => code === 0) ?? runs.at(0);
}

/** True of the commands that print tables, in the formats that do. */
export function hasTable({ command, format, code }: CommandRun): boolean {
  const isTable = format === 'text' || format === 'wide';
  return code === 0 && isTable && ['status', 'trace'].includes(command);
}

/** Every line in every format of its command. */
function expandRuns(lines: RunLines, commands: ReadonlyMap<string, CommandSpec>): readonly CommandRun[] {
  return Object.entries(lines).flatMap(([code, texts]) =>
    texts.flatMap((text) => inEveryFormat(text, Number(code) as Code, commands)),
  );
}

function inEveryFormat(text: string, code: Code, commands: ReadonlyMap<string, CommandSpec>): readonly CommandRun[] {
  const words = text.split(' ');
  const command = [words.slice(0, 2).join(' '), words[0]].find((name) => name !== undefined && commands.has(name));
  const spec = command === undefined ? undefined : commands.get(command);
  if (command === undefined || !spec) throw new Error(`There is no command for ${text}.`);
  const formats = formatsOf(spec);
  if (formats.length === 0) return [{ command, format: undefined, code, line: text }];
  return formats.map((format) => ({ command, format, code, line: `${text} -o ${format}` }));
}

/** The choices of `--output`. */
export function formatsOf({ options }: CommandSpec): readonly string[] {
  const output = Object.values(options).find(({ flag }) => flag === 'output');
  return output?.placeholder.split('|') ?? [];
}

/** The exit codes that its help lists, without that of wrong usage. */
export function codesOf({ exits }: CommandSpec): readonly Code[] {
  return exits?.remains === undefined ? [0, 1] : [0, 1, 2];
}
