// Every command of the program with its name on the command line: `status`, `serve hash`, `local up`.
import type { CommandSpec } from '../../../src/commands/command.ts';
import { commands } from '../../../src/commands/program.ts';

export async function allCommands(): Promise<ReadonlyMap<string, CommandSpec>> {
  const groups = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => {
      const specs = await load();
      return specs.flatMap((spec) => withSubcommands(spec, specs.length > 1 ? `${name} ` : ''));
    }),
  );
  return new Map(groups.flat());
}

function withSubcommands(spec: CommandSpec, prefix: string): readonly (readonly [string, CommandSpec])[] {
  const name = `${prefix}${spec.name}`;
  return [[name, spec], ...(spec.subcommands ?? []).flatMap((below) => withSubcommands(below, `${name} `))];
}
