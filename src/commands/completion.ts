// `rolealerts completion`: the script that lets a shell complete the command line.
import { UsageError } from '../lib/command-errors.ts';
import { defineCommand } from './command.ts';
import { completionScripts, completionShells } from './completion-scripts.ts';
import { descriptions } from './descriptions.ts';

export const completionCommand = defineCommand({
  name: 'completion',
  description: descriptions.completion,
  more: `The script completes commands, flags and their choices.
The tests cover the script for bash, and not those for zsh and fish.`,
  examples: [
    'source <(rolealerts completion bash)',
    'rolealerts completion zsh > "${fpath[1]}/_rolealerts"',
    'rolealerts completion fish | source',
  ],
  options: {},
  operands: [{ name: completionShells.join('|'), description: 'The shell.' }],
  async run(_values, host, [name = '']) {
    const shell = completionShells.find((each) => each === name);
    if (shell === undefined) {
      throw new UsageError(`There is no completion for ${name}: choose one of ${completionShells.join(', ')}.`);
    }
    host.out.write(completionScripts[shell]);
    return 0;
  },
});
