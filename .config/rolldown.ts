// The bundle for the image, for `node dist/rolealerts.mjs`, for the executable and for the tests that start the program: a few files, so that a command loads
// only what it needs. The bundle is not minified, so that stack traces and the shipped code stay readable.
import { builtinModules } from 'node:module';
import { relative } from 'node:path';

import { defineConfig, type OutputOptions, type Plugin, type RolldownOptions } from 'rolldown';

import { readBuildFacts } from '../src/lib/build-facts.ts';
import { inlinedDescription } from './inlined-description.ts';
import { inlinedSchemas } from './inlined-schemas.ts';

/**
 * Loads Node's built-in modules when their importer runs, not when the file is linked. Otherwise an old Node ends with a link error
 * before it can print the required version, and every command loads the modules of all others.
 */
const lateBuiltins: Plugin = {
  name: 'late-builtins',
  resolveId(id) {
    const name = id.replace(/^node:/, '');
    // node:sqlite has no short name, so the list contains it only with its prefix.
    const isBuiltin = builtinModules.includes(name) || builtinModules.includes(`node:${name}`);
    return isBuiltin && name !== 'module' ? `\0builtin/node:${name}` : undefined;
  },
  load(id) {
    const name = id.startsWith('\0builtin/') ? id.slice('\0builtin/'.length) : undefined;
    return name && { code: `module.exports = process.getBuiltinModule('${name}');`, moduleSideEffects: false };
  },
};

/** Resolves files beside a module (the supervisor, the pinned go.mod) in the checkout that built the bundle into this folder. */
const filesOfTheCheckout = (directory: string): Plugin => ({
  name: 'files-of-the-checkout',
  transform(code, id) {
    if (!code.includes('import.meta.url') || id.includes('node_modules')) return undefined;
    const module = relative(directory, id);
    return code.replaceAll('import.meta.url', `new URL('${module}', import.meta.url).href`);
  },
});

/**
 * V8 keeps the program's text in memory, and uses two bytes per character as soon as one character needs them. Only strings and
 * regular expressions contain other characters than ASCII, and there an escape means the same.
 */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  renderChunk: (code) =>
    code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
};

/** `name`: the first file's name without its extension. The output keeps only licence comments. */
export const outputTo = (dir: string, name = 'rolealerts'): OutputOptions => ({
  dir,
  // .mjs, because the image has no package.json with "type": "module".
  entryFileNames: `${name}.mjs`,
  chunkFileNames: `${name}-[name].mjs`,
  format: 'esm',
  minify: false,
  comments: { legal: true, annotation: false, jsdoc: false },
  codeSplitting: true,
});

/** `directory`: the folder of the checkout that gets the files, which find the rest of the checkout from there. */
export const bundleIn = (directory: string): RolldownOptions & { output: OutputOptions } => ({
  input: 'src/main.ts',
  platform: 'node',
  plugins: [inlinedSchemas, inlinedDescription, lateBuiltins, filesOfTheCheckout(directory), asciiOnly],
  // The operator uses a few modules of client-node, whose files import every other one, and none of them for what it does when it runs.
  treeshake: { moduleSideEffects: [{ test: /@kubernetes\/client-node/, sideEffects: false }] },
  // The image has neither package.json nor git.
  transform: { define: { rolealertsBuild: JSON.stringify(readBuildFacts()) } },
  output: outputTo(directory),
});

/** Runs anywhere, and lacks the commands that start programs of a checkout. The files are the same wherever they are written. */
export const bundleApart = (): RolldownOptions & { output: OutputOptions } => {
  const bundle = bundleIn('dist');
  const define = { ...bundle.transform?.define, rolealertsRunsApart: 'true' };
  return { ...bundle, transform: { define }, output: { ...outputTo('dist'), cleanDir: true } };
};

export default defineConfig(bundleApart());
