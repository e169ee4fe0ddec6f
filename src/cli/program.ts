// The command line: which commands there are, and how an error becomes a sentence and an exit code.
import { Command, CommanderError } from 'commander';

import { isOperatorError, messageOf } from '../lib/errors.ts';
import { buildCommand, type CommandSpec } from './command.ts';
import { controllerCommand } from './controller.ts';
import { demoCommand } from './demo.ts';
import type { Host } from './host.ts';
import { localDownCommand, localStatusCommand, localUpCommand } from './local.ts';
import { serveCommand } from './serve.ts';

/** 0 success · 1 failed · 2 wrong usage. */
export const exitCodes = { success: 0, failed: 1, usage: 2 } as const;

export const commands: readonly CommandSpec[] = [controllerCommand, serveCommand, demoCommand];
export const localCommands: readonly CommandSpec[] = [localUpCommand, localDownCommand, localStatusCommand];

/** Runs the command that `args` name (without the program's own name). Never rejects. */
export async function runProgram(args: readonly string[], host: Host, version: string): Promise<number> {
  let exitCode: number = exitCodes.success;
  const done = (code: number) => {
    exitCode = code;
  };
  try {
    await buildProgram(host, version, done).parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error, host);
  }
}

function buildProgram(host: Host, version: string, done: (exitCode: number) => void): Command {
  const program = new Command('rolealerts')
    .description('Keeps role-management security alerts the way a team declared them.')
    .version(version, '-V, --version', 'Show the version.')
    .helpOption('-h, --help', 'Show this help.')
    .helpCommand(false);
  const local = new Command('local').description('A local Kubernetes control plane for trying things out.');
  for (const spec of localCommands) local.addCommand(buildCommand(spec, host, done));
  for (const spec of commands) program.addCommand(buildCommand(spec, host, done));
  program.addCommand(local.helpCommand(false).helpOption('-h, --help', 'Show this help.'));
  for (const command of [program, local, ...program.commands, ...local.commands]) {
    command.exitOverride().showHelpAfterError('(--help shows what there is)');
    command.configureOutput({
      writeOut: (text) => host.out.write(text),
      writeErr: (text) => host.err.write(text),
      getOutHelpWidth: () => 110,
      getErrHelpWidth: () => 110,
    });
  }
  return program;
}

function explain(error: unknown, host: Host): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
  if (!isOperatorError(error)) {
    host.err.write(`rolealerts: unexpected error: ${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
    return exitCodes.failed;
  }
  host.err.write(`rolealerts: ${messageOf(error)}\n`);
  if (error.detail !== undefined) host.err.write(`  ${error.detail}\n`);
  return error.code === 'usage' ? exitCodes.usage : exitCodes.failed;
}
