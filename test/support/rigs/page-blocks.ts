// The blocks of a page as a newcomer pastes them into a shell, one after another: those of `sh`, and the commands of those of `console`,
// below which the page shows what one sees.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';

import { root } from '../checks/findings.ts';

/** The word after `sh` of a block that does not run in the script of its page, and why. */
const apart = {
  checkout: 'its commands are those of process/checkout.test.ts',
  service: 'needs the alerts service in a cluster with pods, where pods/pages.test.ts runs it',
  helm: 'an alternative, which chart.nightly.ts runs',
  image: 'an alternative, which test/interop makes twice; needs a registry',
  release: 'an alternative; needs the files of a release',
  argocd: 'needs Argo CD',
  recording: 'needs a recording of an operator',
  terminals: 'needs several terminals, and changes /etc/hosts',
  entra: 'needs Microsoft Entra ID',
  finalizer: 'an alternative that leaves alerts inactive',
  pause: 'an alternative',
};

export const readPage = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** The blocks of a page or of a part of it in their order: those without a word after `sh`, or those with this one. */
export function blocksOf(text: string, word?: keyof typeof apart): readonly string[] {
  const blocks = [...text.matchAll(/^( *)```sh(?: (.*))?\n([^]*?)^ *```$/gm)];
  return blocks
    .filter(([, , of]) => {
      if (of !== undefined && !(of in apart)) throw new Error(`a block of shell has the unknown word ${of}`);
      return of === word;
    })
    .map(([, , , block = '']) => block);
}

export interface Shown {
  readonly command: string;
  /** What the page shows below it. */
  readonly text: string;
}

type Step = string | Shown;

/** The blocks without a word after `sh`, and each command of the blocks of `console`, in their order. */
function stepsOf(text: string): readonly Step[] {
  return [...text.matchAll(/^```(sh|console)\n([^]*?)^```$/gm)].flatMap(([, kind, block = '']): Step[] => {
    if (kind === 'sh') return [block];
    return block
      .split(/^\$ /m)
      .slice(1)
      .map((each) => {
        const [command = '', ...lines] = each.split('\n');
        return { command, text: lines.join('\n').trim() };
      });
  });
}

interface ShellOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface RunningShell {
  /** Resolves when the last line has run; rejects with the log when one failed. */
  readonly ran: Promise<void>;
  /** Ends what the lines left running. */
  end(): Promise<void>;
}

/** Runs the lines one after another, each written to the log before it runs. */
export function startShell(script: string, { directory, env }: ShellOptions): RunningShell {
  // When this process dies, its end of the pipe closes, and the first line ends all others with what they started.
  const own = '(read -r _; kill -s KILL 0) <&3 & exec 3<&- 9>&2; BASH_XTRACEFD=9; set -ex -o pipefail\n';
  const child = spawn('bash', ['-c', own + script], {
    cwd: directory,
    env,
    detached: true,
    // Node closes the standard input of a process that has ended, and what it started may still run.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const life = child.stdio[3] as Writable;
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (log += text));
  }
  const closed = once(child, 'close');
  const exited = once(child, 'exit') as Promise<[number | null]>;
  return {
    ran: exited.then(([code]) => {
      if (code !== 0) throw new Error(`a line failed, the last one of:\n${log}`);
    }),
    async end() {
      life.end();
      await closed;
    },
  };
}

export interface Follower {
  /** Follows a page from its first block to its last, in the shell of the pages before. Resolves with what differs from what it shows. */
  follow(page: string): Promise<readonly string[]>;
  end(): Promise<void>;
}

/** `edit`: what differs here from what a newcomer pastes. */
export function startFollower({ directory, env }: ShellOptions, edit: (script: string) => string): Follower {
  const shells: RunningShell[] = [];
  return {
    async follow(page) {
      const seen = join(directory, `.seen-${shells.length}`);
      mkdirSync(seen);
      const steps = stepsOf(readPage(page));
      const lines = steps.map((step, index) =>
        typeof step === 'string' ? step : `{ ${step.command}; } > '${seen}/${index}' 2>&1 || :\n`,
      );
      // The terminal keeps its variables from page to page.
      const script = `${edit(lines.join(''))}\nexport -p > .env\n`;
      const shell = startShell(script, { directory, env: { ...env, BASH_ENV: join(directory, '.env') } });
      shells.push(shell);
      await shell.ran;
      return steps.flatMap((step, index) => {
        if (typeof step === 'string') return [];
        const file = join(seen, String(index));
        const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
        return isAsShown(step.text, text) ? [] : [`$ ${step.command}\n${text}\n--- and ${page} shows:\n${step.text}`];
      });
    },
    async end() {
      await Promise.all(shells.map((shell) => shell.end()));
    },
  };
}

/** The same words in the same order. A time or an age means any other; … for any text. */
export function isAsShown(shown: string, text: string): boolean {
  const pattern = shown
    .split(/(…|\s+|\d{4}-\d\d-\d\dT[\d:]+Z|(?<=\s)\d+[smhd](?=\s|$))/)
    .map((part, index) => (index % 2 === 0 ? RegExp.escape(part) : patternOf(part)));
  return new RegExp(`^${pattern.join('')}$`).test(text);
}

function patternOf(part: string): string {
  if (part === '…') return '[^]*?';
  if (/^\s/.test(part)) return '\\s+';
  return part.includes('T') ? '\\d{4}-\\d\\d-\\d\\dT[\\d:]+Z' : '(?:\\d+[smhd])+';
}
