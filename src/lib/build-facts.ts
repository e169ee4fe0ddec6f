// The version and the commit of this program: from the build in a bundle, from package.json and git in a checkout.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { isString, objectOf, parseJson } from './json-shape.ts';

export interface BuildFacts {
  /** The version in package.json, such as `0.1.0`. */
  readonly version: string;
  /** 40 hexadecimal digits, with `-dirty` when tracked files were modified; `unknown` without a git repository. */
  readonly commit: string;
}

/** The bundler replaces this name by the facts of its checkout (.config/rolldown.ts). */
declare const rolealertsBuild: BuildFacts;

const checkout = fileURLToPath(new URL('../..', import.meta.url));

const gitDeadlineMs = 5000;

/** In a checkout this runs git, which takes some milliseconds. */
export function readBuildFacts(): BuildFacts {
  if (typeof rolealertsBuild !== 'undefined') return rolealertsBuild;
  return factsOfCheckout(checkout);
}

let version: string | undefined;

/** The header User-Agent of every request: the product and its version. */
export function userAgentOf(product: 'rolealerts' | 'rolealerts-cli'): string {
  version ??= typeof rolealertsBuild === 'undefined' ? versionOfCheckout(checkout) : rolealertsBuild.version;
  return `${product}/${version}`;
}

/** `root` is the folder of package.json. */
export function factsOfCheckout(root: string): BuildFacts {
  return { version: versionOfCheckout(root), commit: commitOf(root) };
}

function versionOfCheckout(root: string): string {
  const { version: named } = objectOf(parseJson(readFileSync(`${root}/package.json`, 'utf8')));
  return isString(named) ? named : 'unknown';
}

/** Ignores a repository further up, which contains other sources: an unpacked archive of this project has no `.git`. */
function commitOf(root: string): string {
  if (!existsSync(`${root}/.git`)) return 'unknown';
  const describe = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  try {
    const git = execFileSync('git', ['-C', root, ...describe], {
      timeout: gitDeadlineMs,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return git.toString('utf8').trim();
  } catch {
    return 'unknown';
  }
}
