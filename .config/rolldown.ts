// The bundle for the image and for `node dist/rolealerts.mjs`: a few files, so that a command loads only what it needs. Sources run
// as they are everywhere else. It is not minified: stack traces and the code that is shipped should be readable.
import { builtinModules } from 'node:module';
import { relative } from 'node:path';

import { defineConfig, type OutputOptions, type Plugin } from 'rolldown';

const directory = 'dist';

/**
 * Node's own modules are taken when their importer runs, not when the file is linked. Otherwise an old Node, which has to say
 * its sentence, ends with a link error first, and every command loads what only another one needs.
 */
const lateBuiltins: Plugin = {
  name: 'late-builtins',
  resolveId(id) {
    const name = id.replace(/^node:/, '');
    // node:sqlite has no short name, so the list does not hold it without its prefix.
    const isBuiltin = builtinModules.includes(name) || builtinModules.includes(`node:${name}`);
    return isBuiltin && name !== 'module' ? `\0builtin/node:${name}` : undefined;
  },
  load(id) {
    const name = id.startsWith('\0builtin/') ? id.slice('\0builtin/'.length) : undefined;
    return name && `module.exports = process.getBuiltinModule('${name}');`;
  },
};

/** What lies beside a module (the supervisor, the pinned go.mod) is found in the checkout that the bundle was built in. */
const filesOfTheCheckout: Plugin = {
  name: 'files-of-the-checkout',
  transform(code, id) {
    if (!code.includes('import.meta.url') || id.includes('node_modules')) return undefined;
    const module = relative(directory, relative('.', id));
    return code.replaceAll('import.meta.url', `new URL('${module}', import.meta.url).href`);
  },
};

/**
 * V8 keeps the text of the program in memory, in two bytes a character as soon as one character needs them. What is not
 * ASCII stands in texts and regular expressions only, where its escape means the same.
 */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  renderChunk: (code) =>
    code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
};

/** `name` of the first file, without the ending. Of the comments only the licences stay. */
export const outputTo = (dir: string, name = 'rolealerts'): OutputOptions => ({
  dir,
  // .mjs: in the image there is no package.json beside it that would say "module".
  entryFileNames: `${name}.mjs`,
  chunkFileNames: `${name}-[name].mjs`,
  format: 'esm',
  minify: false,
  comments: { legal: true, annotation: false, jsdoc: false },
  codeSplitting: true,
});

export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  plugins: [lateBuiltins, filesOfTheCheckout, asciiOnly],
  // Its generated classes for every API, which nobody here uses: a third of the memory at the start.
  treeshake: { moduleSideEffects: [{ test: /@kubernetes\/client-node/, sideEffects: false }] },
  output: outputTo(directory),
});
