// The command line: the list of commands, and the message and exit code of an error.
import { Command, CommanderError } from 'commander';

import { cleanLines } from '../lib/clean-text.ts';
import { UsageError } from '../lib/command-errors.ts';
import { isCoded, messageOf } from '../lib/errors.ts';
import { missingPackage } from '../lib/missing-package.ts';
import { eraseLine } from '../lib/output.ts';
import { buildCommand, type CommandSpec } from './command.ts';
import { completeCommand } from './completion-scripts.ts';
import { descriptions } from './descriptions.ts';
import { exitCodes, renderExits } from './exit-codes.ts';
import type { Host } from './host.ts';
import { isContained, needsCheckout } from './needs-checkout.ts';

/** Compared where the bundler can remove what a build apart from the checkout cannot run: see needs-checkout.ts. */
declare const rolealertsRunsApart: true;

type CommandName = keyof typeof descriptions;

/** By the name on the command line; those of `local` follow its name. Only the named command is loaded: the operator loads no code of the service or the demo. */
export const commands: Readonly<Record<CommandName, () => Promise<readonly CommandSpec[]>>> = {
  controller: async () => [(await import('./controller.ts')).controllerCommand],
  serve: async () => [(await import('./serve.ts')).serveCommand],
  login: async () => [(await import('./login.ts')).loginCommand],
  status: async () => [(await import('./status.ts')).statusCommand],
  ui: async () => [(await import('./ui.ts')).uiCommand],
  trace: async () => [(await import('./trace.ts')).traceCommand],
  reconcile: async () => [(await import('./policy-edits.ts')).reconcileCommand],
  suspend: async () => [(await import('./policy-edits.ts')).suspendCommand],
  resume: async () => [(await import('./policy-edits.ts')).resumeCommand],
  plan: async () => [(await import('./plan.ts')).planCommand],
  doctor: async () => [(await import('./doctor.ts')).doctorCommand],
  validate: async () => [(await import('./validate.ts')).validateCommand],
  export: async () => [(await import('./export.ts')).exportCommand],
  replay: async () => [(await import('./replay.ts')).replayCommand],
  demo: async () => {
    if (typeof rolealertsRunsApart !== 'undefined') return needsCheckout('demo');
    return [(await import('./demo.ts')).demoCommand];
  },
  local: async () => {
    if (typeof rolealertsRunsApart !== 'undefined') return needsCheckout('local');
    const { localUpCommand, localDownCommand, localStatusCommand } = await import('./local.ts');
    return [localUpCommand, localDownCommand, localStatusCommand];
  },
  completion: async () => [(await import('./completion.ts')).completionCommand],
  version: async () => [(await import('./version.ts')).versionCommand],
};

/** Runs the command in `args` (without the program's own name). Never rejects. */
export async function runProgram(args: readonly string[], host: Host): Promise<number> {
  let exitCode: number = exitCodes.success;
  const done = (code: number) => {
    exitCode = code;
  };
  const words = unaliased(args);
  try {
    if (words[0] === completeCommand) return await completeWords(words.slice(1), host);
    const program = buildProgram(host);
    const [name = ''] = words;
    if (isCommand(name)) await addCommands(program, name, host, done);
    else addNames(program);
    program.addCommand(new Command('help').description('Show the help of a command.').argument('[command...]'));
    await program.parseAsync([...words], { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error, host);
  }
}

/** Prints what may be at the end of `words`. */
async function completeWords([name = '', ...words]: readonly string[], host: Host): Promise<number> {
  if (words.length === 0) {
    const names = Object.keys(commands).filter((each) => each.startsWith(name) && isContained(each));
    host.out.write(linesOf(names));
  } else if (isCommand(name) && isContained(name)) {
    const { complete } = await import('./complete.ts');
    host.out.write(linesOf(complete(await commands[name](), words)));
  }
  return exitCodes.success;
}

const linesOf = (candidates: readonly string[]) => candidates.map((each) => `${each}\n`).join('');

/** `--version` is the command `version`, and `help NAME` is `NAME --help`. */
function unaliased(args: readonly string[]): readonly string[] {
  const [first, name] = args;
  if (first === '--') return unaliased(args.slice(1));
  if (first === '--version' || first === '-V') return ['version', ...args.slice(1)];
  if (first !== 'help') return args;
  // Without --help, an unknown command is an error.
  return name === undefined || isCommand(name) ? [...args.slice(1), '--help'] : [name];
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);

/** For the help, and for the suggestion after a misspelled name. */
function addNames(program: Command): void {
  for (const [name, description] of Object.entries(descriptions)) {
    program.addCommand(new Command(name).description(description), { hidden: !isContained(name) });
  }
}

/** kubectl finds a plugin by the name of its file. */
function nameOf({ programFile }: Host): string {
  return /(^|[\\/])kubectl-rolealerts[^\\/]*$/.test(programFile) ? 'kubectl rolealerts' : 'rolealerts';
}

function buildProgram(host: Host): Command {
  const program = new Command(nameOf(host))
    .description('Keeps role-management security alerts in the state that a team declared.')
    .option('-V, --version', 'As version.')
    .enablePositionalOptions()
    .addHelpText('after', `\n${renderExits({ remains: 'changes or work remain' })}`);
  return prepare(program, host);
}

async function addCommands(
  program: Command,
  name: CommandName,
  host: Host,
  done: (exitCode: number) => void,
): Promise<void> {
  const specs = await commands[name]();
  const built = specs.map((spec) => prepare(buildCommand(spec, { host, done }), host));
  const parent = name === 'local' ? addLocal(program, host) : program;
  for (const command of built) parent.addCommand(command);
}

function addLocal(program: Command, host: Host): Command {
  const local = new Command('local').description(descriptions.local);
  program.addCommand(prepare(local, host));
  return local;
}

/** The settings of a command and those below it: it prints to the host, and throws where commander would end the process. */
function prepare(command: Command, host: Host): Command {
  for (const below of command.commands) prepare(below, host);
  return command
    .helpOption('-h, --help', 'Show this help.')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ optionTerm: ({ flags }) => flags.replace(' [true|false]', '') })
    .configureOutput({
      writeOut: (text) => host.out.write(text),
      writeErr: (text) => host.err.write(text),
      // `explain` prints the error.
      outputError: () => undefined,
      getOutHelpWidth: () => 120,
      getErrHelpWidth: () => 120,
    });
}

/** Prints every error in one form: the program's name, a sentence, and indented details. */
function explain(error: unknown, host: Host): number {
  if (error instanceof CommanderError) return explainWrongUsage(error, host);
  if (wasStopped(error) && host.stopping.aborted) return fail(host, exitCodes.failed, 'Stopped', detailOf(error));
  const missing = missingPackage(error);
  if (missing !== undefined) return fail(host, exitCodes.failed, missing);
  if (!isCoded(error)) {
    return fail(host, exitCodes.failed, 'Unexpected error, a bug of rolealerts:', stackOf(error));
  }
  return fail(host, error instanceof UsageError ? exitCodes.usage : exitCodes.failed, messageOf(error), error.detail);
}

/** Also in the middle of something that then failed. */
function wasStopped(error: unknown): error is Error {
  return error instanceof Error && (isCoded(error, 'stopped') || wasStopped(error.cause));
}

function detailOf(error: Error): string | undefined {
  return isCoded(error, 'stopped') ? error.detail : undefined;
}

/** commander has already printed a requested help. Its other messages begin with `error: ` and may end with a suggestion. */
function explainWrongUsage({ exitCode, code, message }: CommanderError, host: Host): number {
  if (exitCode === 0) return exitCodes.success;
  if (code === 'commander.help') return exitCodes.usage;
  const [mistake = '', ...suggestions] = message.replace(/^error: /, '').split('\n');
  const sentence = `${mistake.charAt(0).toUpperCase()}${mistake.slice(1)}`;
  const advice = suggestions.map((line) => line.replace(/^\((.*)\)$/, '$1'));
  return fail(host, exitCodes.usage, sentence, [...advice, 'See --help.'].join('\n'));
}

function fail(host: Host, exitCode: number, message: string, detail?: string): number {
  const details = detail === undefined ? [] : detail.split('\n').map((line) => `  ${line}\n`);
  const text = [`rolealerts: ${sentenceOf(message)}\n`, ...details].join('');
  // The line may still have the progress of what failed.
  host.err.write(`${host.err.canRedraw ? eraseLine : ''}${cleanLines(text)}`);
  return exitCode;
}

/** A message of several lines ends with the output of another program. */
function sentenceOf(message: string): string {
  const [last = '', ...before] = message.split('\n').reverse();
  return before.length > 0 || /[.:?!]$/.test(last) ? message : `${message}.`;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
