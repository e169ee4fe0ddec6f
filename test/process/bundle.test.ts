// What the bundle contains, and what it loads at the start of a command. A package that appears here costs time at each start, and memory in
// every cluster, whether or not it is called.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import type { BundledChunk } from '../support/rigs/program-setup.ts';
import { programFile } from '../support/rigs/program.ts';

const text = await readFile(join(dirname(programFile), 'chunks.json'), 'utf8');
const chunks = new Map((JSON.parse(text) as BundledChunk[]).map((chunk) => [chunk.fileName, chunk]));

/** The chunk of a command and everything that it imports at its start. */
function loadedBy(command: string): BundledChunk[] {
  const found = new Set<BundledChunk>();
  const visit = (name: string) => {
    const chunk = chunks.get(name);
    if (chunk === undefined || found.has(chunk)) return;
    found.add(chunk);
    chunk.imports.forEach(visit);
  };
  visit(`rolealerts-${command}.mjs`);
  return [...found];
}

const modulesOf = (loaded: readonly BundledChunk[]) => loaded.flatMap(({ modules }) => modules);

function packagesOf(loaded: readonly BundledChunk[]): string[] {
  const names = modulesOf(loaded).map((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined).toSorted();
}

it('the operator loads only the packages that it needs', () => {
  expect(packagesOf(loadedBy('controller'))).toEqual([
    '@kubernetes/client-node',
    '@opentelemetry/api',
    '@pinojs/redact',
    'agent-base',
    'atomic-sleep',
    'bintrees',
    'commander',
    'croner',
    'debug',
    'hpagent',
    'ip-address',
    'js-yaml',
    'jsonpath-plus',
    'ms',
    'oauth4webapi',
    'on-exit-leak-free',
    'openid-client',
    'pino',
    'pino-std-serializers',
    'prom-client',
    'quick-format-unescaped',
    'rfc4648',
    'safe-stable-stringify',
    'smart-buffer',
    'socks',
    'socks-proxy-agent',
    'sonic-boom',
    'tdigest',
    'thread-stream',
    'tinyqueue',
    'undici',
  ]);
});

it('validate loads neither ajv nor a client of the cluster', () => {
  const loaded = loadedBy('validate');
  expect(packagesOf(loaded)).toEqual(['@marcbachmann/cel-js', 'ajv', 'commander', 'yaml']);
  const ofAjv = modulesOf(loaded).filter((id) => id.includes('/ajv/'));
  // It counts the code points of a text.
  expect(ofAjv).toEqual([expect.stringMatching(/ucs2length\.js/)]);
});

it('the operator loads less than 3 MB', () => {
  const bytes = loadedBy('controller').reduce((sum, { bytes }) => sum + bytes, 0);
  expect(bytes).toBeLessThan(3_000_000);
});

/** Prints the URL of each module on standard error when the process ends. */
const recorder = `import { registerHooks } from 'node:module';
const urls = [];
registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
process.on('exit', () => process.stderr.write(JSON.stringify(urls.filter((url) => url.startsWith('file:')))));`;

it('the help of the program loads no command', async () => {
  const preload = `--import=data:text/javascript,${encodeURIComponent(recorder)}`;
  const { stderr } = await promisify(execFile)(process.execPath, [preload, programFile, '--help']);
  const urls = JSON.parse(stderr) as string[];
  const loaded = urls.map((url) => chunks.get(basename(url))).filter((chunk) => chunk !== undefined);
  expect(loaded).toHaveLength(urls.length);
  expect(packagesOf(loaded)).toEqual(['commander']);
  const commands = modulesOf(loaded).filter((id) => id.includes('/src/commands/'));
  expect(commands.map((id) => basename(id)).toSorted()).toEqual([
    'command.ts',
    'completion-scripts.ts',
    'descriptions.ts',
    'exit-codes.ts',
    'needs-checkout.ts',
    'program.ts',
  ]);
});

it('the bundle imports nothing but its own files and modules of Node', () => {
  const imports = [...chunks.values()].flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]);
  expect(imports.filter((name) => !chunks.has(name) && !name.startsWith('node:'))).toEqual([]);
});
