// The import hooks of a worker: sources of the folders under test come with every edit behind its switch, and `vitest` is a stand-in that
// runs a case as often as it is asked to. Import it before anything that it should concern.
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

import { instrument } from './instrument.ts';
import { type MutatedFile, root } from './project.ts';

const standIn = new URL('vitest-stand-in.ts', import.meta.url).href;
const projectURL = new URL('../../..', import.meta.url).href;

export function installHooks(files: readonly MutatedFile[]): void {
  const mutated = new Map(files.map((file) => [`${root}${file.path}`, file]));
  const texts = new Map<string, string>();
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL = '' } = context;
      if (specifier === 'vitest' && withoutQuery(parentURL) !== standIn) return nextResolve(standIn, context);
      const resolved = nextResolve(specifier, context);
      return { ...resolved, url: inSameGraph(resolved.url, parentURL) };
    },
    load(url, context, nextLoad) {
      if (!isOwn(url) || !withoutQuery(url).endsWith('.ts')) return nextLoad(url, context);
      const path = fileURLToPath(withoutQuery(url));
      const source = texts.get(path) ?? javaScriptOf(path, mutated.get(path));
      texts.set(path, source);
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

function javaScriptOf(path: string, file: MutatedFile | undefined): string {
  return stripTypeScriptTypes(file ? instrument(file.source, file.edits, file.firstId) : readFileSync(path, 'utf8'));
}

function withoutQuery(url: string): string {
  return url.split('?')[0] ?? url;
}

function isOwn(url: string): boolean {
  return (
    url.startsWith(projectURL) &&
    !url.includes('/node_modules/') &&
    !withoutQuery(url).startsWith(`${projectURL}test/tools/mutation/`)
  );
}

/** A file that is imported with `?graph=N` gets all its imports anew, so that what is computed at import is computed again. */
function inSameGraph(url: string, parentURL: string): string {
  const [, query] = parentURL.split('?graph=');
  const isMutationsOwn = !isOwn(url) && !url.startsWith(`${projectURL}test/tools/mutation/seeds.ts`);
  return query === undefined || isMutationsOwn ? url : `${withoutQuery(url)}?graph=${query}`;
}
