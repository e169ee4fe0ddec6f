// The architecture: which folder may import which, and that pure folders do no I/O.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

import { describe, expect, it } from 'vitest';

/**
 * The rooms of `src/`, each below those that may import it, and in each the rooms that it may import from besides itself. A folder that is not named
 * belongs to the room around it. `main.ts` may import from commands only.
 */
const core = ['lib', 'alerts', 'policy'];
const decisions = [...core, 'operator/dismissals', 'operator/reasons', 'operator/decide', 'operator/report'];
const clients = ['operator/alert-client', 'operator/kube'];
const mayKnow: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  alerts: ['lib'],
  policy: ['lib', 'alerts'],
  'operator/reasons': core,
  'operator/dismissals': core,
  'operator/decide': [...core, 'operator/dismissals', 'operator/reasons'],
  'operator/report': decisions,
  'operator/alert-client': core,
  'operator/kube': core,
  'operator/recording': decisions,
  // Its files: the ports of the rooms below it, and the controller, which joins them.
  operator: [...decisions, 'operator/queue', 'operator/connection', 'operator/scope'],
  'operator/queue': [...decisions, 'operator'],
  'operator/connection': [...decisions, 'operator', 'operator/queue'],
  'operator/scope': [...decisions, 'operator', 'operator/queue', 'operator/connection'],
  'operator/manager': [...decisions, ...clients, 'operator', 'operator/recording'],
  service: core,
  'service/run': ['lib', 'service'],
  'service/scanner': [...core, 'operator/kube', 'service'],
  local: core,
  'local/demo': [...core, 'operator/kube', 'service', 'service/scanner', 'local'],
  'commands/options': [...core, 'operator/manager'],
  'commands/manifests': core,
  'commands/findings': ['lib', 'commands/manifests'],
  'commands/report': [...decisions, 'commands/manifests'],
  'commands/cluster': [...decisions, 'operator/kube', 'commands/report'],
  'commands/preview': [
    ...decisions,
    ...clients,
    'operator/queue',
    'operator/scope',
    'commands/cluster',
    'commands/findings',
    'commands/manifests',
    'commands/options',
    'commands/report',
  ],
  'commands/checks': [
    ...decisions,
    ...clients,
    'commands/cluster',
    'commands/manifests',
    'commands/preview',
    'commands/report',
  ],
  'commands/ui': [...decisions, 'commands/checks', 'commands/report'],
  'commands/login': ['lib', 'local', 'commands/preview'],
  commands: [
    ...decisions,
    ...clients,
    'operator/manager',
    'operator/recording',
    'service',
    'service/run',
    'service/scanner',
    'local',
    'local/demo',
    'commands/checks',
    'commands/cluster',
    'commands/findings',
    'commands/login',
    'commands/manifests',
    'commands/options',
    'commands/preview',
    'commands/report',
    'commands/ui',
  ],
  'main.ts': ['lib', 'commands'],
};

const pure = new Set([
  'alerts',
  'policy',
  'operator/decide',
  'operator/dismissals',
  'operator/reasons',
  'operator/report',
]);

/** Rooms that reach the service and the API server through interfaces, which their clients declare. */
const withPorts = new Set(['operator', 'operator/queue', 'operator/connection', 'operator/scope']);

/** Where the clients of the service and of the API server declare what the controller uses of them: it imports these types, and no value. */
const interfaces = new Set(['src/operator/alert-client/alert-client.ts', 'src/operator/kube/event-recorder.ts']);

interface Import {
  readonly file: string;
  readonly target: string;
}

const files = globSync('src/**/*.ts').sort();
const imports: readonly Import[] = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) => ({
    file,
    target,
  })),
);

/** What an import binds, without its types. */
function valuesOf(names: string): readonly string[] {
  return names
    .replace(/[{}]/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}

/** The room of a file below `src/`: the deepest folder with a rule. */
function roomOf(path: string): string {
  const [, first = '', second = ''] = normalize(path).split('/');
  return Object.hasOwn(mayKnow, `${first}/${second}`) ? `${first}/${second}` : first;
}

function importedBy(file: string): string[] {
  return imports
    .filter((each) => each.file === file && each.target.startsWith('.'))
    .map(({ target }) => join(dirname(file), target));
}

function reachedFrom(start: readonly string[], next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set(start);
  for (const file of reached) for (const each of next.get(file) ?? []) reached.add(each);
  return reached;
}

describe('import directions', () => {
  it('every room of src has its rule', () => {
    expect(new Set(files.map(roomOf))).toEqual(new Set(Object.keys(mayKnow)));
  });

  it('no file imports against the direction', () => {
    const wrong = imports.filter(({ file, target }) => {
      if (!target.startsWith('.')) return false;
      const path = join(dirname(file), target);
      const [from, to] = [roomOf(file), roomOf(path)];
      return from !== to && mayKnow[from]?.includes(to) !== true && !(withPorts.has(from) && interfaces.has(path));
    });
    expect(wrong).toEqual([]);
  });

  it('the rooms behind ports import types of the clients only', () => {
    const values = /^import (?!type\b)[^;]*? from '\.{1,2}\/(?:alert-client|kube)\//m;
    const importing = files.filter((file) => withPorts.has(roomOf(file)));
    expect(importing.filter((file) => values.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('has no circle, imports of types included', () => {
    const next = new Map(files.map((file) => [file, importedBy(file)]));
    expect(files.filter((file) => reachedFrom(importedBy(file), next).has(file))).toEqual([]);
  });

  it('the alerts service and its client meet over HTTP only', () => {
    const meeting = imports.filter(
      ({ file, target }) => file.startsWith('src/service/') && target.includes('alert-client'),
    );
    expect(meeting).toEqual([]);
  });

  it('one module makes a call of undici, and three build the sockets of their edge', () => {
    const runtimeImports = /^import (?!type\b)([^']+) from 'undici'/gm;
    const found = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(runtimeImports)].map(([, names = '']) => [file, valuesOf(names)]),
    );
    expect(Object.fromEntries(found)).toEqual({
      'src/operator/alert-client/transport.ts': ['Agent', 'buildConnector'],
      'src/operator/kube/api-server-connection.ts': ['buildConnector', 'Pool'],
      'src/service/oauth/token/key-source.ts': ['Agent'],
    });
    const callers = files.filter((file) => withoutComments(readFileSync(file, 'utf8')).includes('.dispatch('));
    expect(callers).toEqual(['src/lib/undici-call.ts']);
  });

  it('one module tests the type of unknown JSON, and reads it with a substitute', () => {
    const copies = /typeof [\w.[\]']+ [!=]== 'object'|typeof ([\w.?[\]']+) === '\w+' \? \1 :/;
    const copying = files.filter((file) => copies.test(withoutComments(readFileSync(file, 'utf8'))));
    expect(copying).toEqual(['src/lib/json-shape.ts']);
  });

  it('time and random numbers come from lib', () => {
    const source = /\bDate\.now\(|\bMath\.random\(|\bperformance\.now\(|(?<![.\w])set(?:Timeout|Interval|Immediate)\(/;
    const found = files.filter((file) => source.test(withoutComments(readFileSync(file, 'utf8'))));
    expect(found).toEqual([
      'src/lib/clock.ts',
      // The grace period of a closing server.
      'src/lib/http-server.ts',
      'src/lib/random.ts',
    ]);
  });

  it('nothing is imported only for its side effects, and nothing is a barrel', () => {
    const barrels = files.filter(
      (file) => /(^|\/)index\.ts$/.test(file) || /^export \* from/m.test(readFileSync(file, 'utf8')),
    );
    expect(barrels).toEqual([]);
  });

  it('no file has a name that says nothing', () => {
    expect(files.filter((file) => /\b(utils?|helpers?|common|misc)\b/.test(file))).toEqual([]);
  });
});

describe('pure rooms', () => {
  const pureFiles = files.filter((file) => pure.has(roomOf(file)));

  it('import nothing of Node and no package', () => {
    const outside = imports.filter(({ file, target }) => pureFiles.includes(file) && !target.startsWith('.'));
    expect(outside).toEqual([]);
  });

  it.each([
    ['the clock', /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\b/],
    ['random numbers', /\bMath\.random\b|\bcrypto\b/],
    ['the process', /\bprocess\b/],
    ['timers or the network', /\bset(Timeout|Interval|Immediate)\b|\bfetch\(/],
    ['awaiting', /\bawait\b|\basync\b/],
  ])('read nothing of %s', (_, pattern) => {
    expect(pureFiles.filter((file) => pattern.test(withoutComments(readFileSync(file, 'utf8'))))).toEqual([]);
  });
});

describe('every file', () => {
  it('opens with a comment that says what it decides', () => {
    const silent = files.filter((file) => {
      const text = readFileSync(file, 'utf8').replace(/^#!.*\n/, '');
      return !text.startsWith('//');
    });
    expect(silent).toEqual([]);
  });

  it('leaves the process to main.ts', () => {
    const readers = files.filter((file) =>
      /\bprocess\.(env|argv|exit|std|cwd|on)\b/.test(withoutComments(readFileSync(file, 'utf8'))),
    );
    expect(readers.filter((file) => file !== 'src/main.ts' && !ownProcesses.has(file))).toEqual([]);
  });
});

/** Entry points of processes of their own: they have a `process` because they are one. */
const ownProcesses = new Set(['src/local/supervisor.ts']);

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}
