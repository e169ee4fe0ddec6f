// The command line: the list of commands, and the message and exit code of an error.
import { Command, CommanderError } from 'commander';

import { UsageError } from '../lib/command-errors.ts';
import { isCoded, messageOf } from '../lib/errors.ts';
import { buildCommand, type CommandSpec } from './command.ts';
import type { Host } from './host.ts';

/** 0 success · 1 failed · 2 wrong usage. */
export const exitCodes = { success: 0, failed: 1, usage: 2 } as const;

/** In the order of the help. Only the named command is loaded: the operator loads no code of the service or the demo. */
const commands: Readonly<Record<string, () => Promise<readonly CommandSpec[]>>> = {
  controller: async () => [(await import('./controller.ts')).controllerCommand],
  serve: async () => [(await import('./serve.ts')).serveCommand],
  login: async () => [(await import('./login.ts')).loginCommand],
  demo: async () => [(await import('./demo.ts')).demoCommand],
  local: async () => {
    const { localUpCommand, localDownCommand, localStatusCommand } = await import('./local.ts');
    return [localUpCommand, localDownCommand, localStatusCommand];
  },
};

/** Runs the command in `args` (without the program's own name). Never rejects. */
export async function runProgram(args: readonly string[], host: Host, version: string): Promise<number> {
  let exitCode: number = exitCodes.success;
  const done = (code: number) => {
    exitCode = code;
  };
  try {
    const program = buildProgram(host, version);
    for (const name of namesAsked(args)) await addCommands(program, name, host, done);
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error, host);
  }
}

/** All commands when `args` name none, for the help. */
function namesAsked([name = '']: readonly string[]): readonly string[] {
  return Object.hasOwn(commands, name) ? [name] : Object.keys(commands);
}

function buildProgram(host: Host, version: string): Command {
  const program = new Command('rolealerts')
    .description('Keeps role-management security alerts in the state that a team declared.')
    .version(version, '-V, --version', 'Show the version.');
  return prepare(program, host);
}

async function addCommands(
  program: Command,
  name: string,
  host: Host,
  done: (exitCode: number) => void,
): Promise<void> {
  const specs = (await commands[name]?.()) ?? [];
  const built = specs.map((spec) => prepare(buildCommand(spec, host, done), host));
  const parent = name === 'local' ? addLocal(program, host) : program;
  for (const command of built) parent.addCommand(command);
}

function addLocal(program: Command, host: Host): Command {
  const local = new Command('local').description('Manage a local Kubernetes control plane for trials.');
  program.addCommand(prepare(local, host));
  return local;
}

/** The settings of every command: it prints to the host, and throws where commander would end the process. */
function prepare(command: Command, host: Host): Command {
  return command
    .helpOption('-h, --help', 'Show this help.')
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError('(use --help for the list of commands and options)')
    .configureOutput({
      writeOut: (text) => host.out.write(text),
      writeErr: (text) => host.err.write(text),
      getOutHelpWidth: () => 110,
      getErrHelpWidth: () => 110,
    });
}

function explain(error: unknown, host: Host): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
  if (!isCoded(error)) {
    host.err.write(`rolealerts: unexpected error: ${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
    return exitCodes.failed;
  }
  host.err.write(`rolealerts: ${messageOf(error)}\n`);
  if (error.detail !== undefined) host.err.write(`  ${error.detail}\n`);
  return error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
}
