// What the bundle's operator loads at its start. A package that appears here costs memory in every cluster, whether or not it is called.
import { runInNewContext } from 'node:vm';

import { rolldown, type OutputChunk } from 'rolldown';
import { beforeAll, describe, expect, it } from 'vitest';

import { lightAssert } from '../../.config/dependency-parts.ts';
import bundle, { outputTo } from '../../.config/rolldown.ts';

let chunks: ReadonlyMap<string, OutputChunk>;

beforeAll(async () => {
  const build = await rolldown(bundle);
  const { output } = await build.generate(outputTo('dist'));
  await build.close();
  chunks = new Map(output.filter((part) => part.type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
});

/** The chunk of a command and everything that it imports at its start. */
function loadedBy(command: string): OutputChunk[] {
  const found = new Set<OutputChunk>();
  const visit = (name: string) => {
    const chunk = chunks.get(name);
    if (chunk === undefined || found.has(chunk)) return;
    found.add(chunk);
    chunk.imports.forEach(visit);
  };
  visit(`rolealerts-${command}.mjs`);
  return [...found];
}

/** Without modules that the bundle replaces with an error. */
function packagesOf(loaded: readonly OutputChunk[]): string[] {
  const modules = loaded.flatMap((chunk) => Object.entries(chunk.modules));
  const names = modules
    .filter(([, { code }]) => !code?.includes('The bundle does not contain'))
    .map(([id]) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined).toSorted();
}

it('the operator loads only the packages that it needs', () => {
  expect(packagesOf(loadedBy('controller'))).toEqual([
    '@kubernetes/client-node',
    'atomic-sleep',
    'commander',
    'croner',
    'js-yaml',
    'jsonpath-plus',
    'oauth4webapi',
    'on-exit-leak-free',
    'openid-client',
    'pino',
    'pino-std-serializers',
    'prom-client',
    'quick-format-unescaped',
    'rfc4648',
    'safe-stable-stringify',
    'sonic-boom',
    'tinyqueue',
    'undici',
  ]);
});

describe('the assert that undici gets', () => {
  const module = { exports: (_value: unknown, _message?: string): void => undefined };
  runInNewContext(lightAssert, { module, process });
  const assert = module.exports;

  it('is in the bundle', () => {
    const parts = loadedBy('controller').flatMap(({ modules }) => Object.keys(modules));
    expect(parts).toContain('\0light/assert');
  });

  it('accepts what is true', () => {
    expect(() => assert(1)).not.toThrow();
  });

  it("fails as Node's does", () => {
    const failure = expect.objectContaining({ code: 'ERR_ASSERTION', message: 'no socket' }) as Error;
    expect(() => assert(undefined, 'no socket')).toThrow(failure);
  });
});

it('validate loads neither ajv nor a client of the cluster', () => {
  const loaded = loadedBy('validate');
  expect(packagesOf(loaded)).toEqual(['@marcbachmann/cel-js', 'ajv', 'commander', 'croner', 'yaml']);
  const ofAjv = loaded.flatMap(({ modules }) => Object.keys(modules)).filter((id) => id.includes('/ajv/'));
  // It counts the code points of a text.
  expect(ofAjv).toEqual([expect.stringMatching(/ucs2length\.js/)]);
});

it('the operator loads less than 1.3 MB', () => {
  const bytes = loadedBy('controller').reduce((sum, { code }) => sum + code.length, 0);
  expect(bytes).toBeLessThan(1_300_000);
});
