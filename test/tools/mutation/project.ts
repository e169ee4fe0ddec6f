// The sources that are edited, and the tests that can notice: both read from the disk, always in the same order, so that an edit has
// the same number in every process.
import { existsSync, globSync, readFileSync } from 'node:fs';

import { type Edit, editsOf } from './edits.ts';

export const root: string = new URL('../../..', import.meta.url).pathname;

/** The folders of `npm run mutate` without arguments, with the score in hundredths that each has to reach. */
export const goals: Readonly<Record<string, number>> = {
  'src/policy': 90,
  'src/operator/decide': 90,
  'src/operator/dismissals': 80,
  'src/operator/reasons': 90,
  'src/operator/report': 90,
  'src/operator/scope': 80,
  'src/operator/connection': 80,
  'src/operator/queue': 80,
  'src/operator/alert-client': 80,
  'src/operator/kube': 0,
  'src/service': 85,
};

/** No PostgreSQL runs here. */
const onlyWhenNamed = 'src/service/postgres';

export interface MutatedFile {
  /** From the root of the project. */
  readonly path: string;
  readonly source: string;
  readonly edits: readonly Edit[];
  /** The number of its first edit. */
  readonly firstId: number;
}

/** Every file below `folders`, which may name files too. What is generated follows the CRDs. */
export function readMutatedFiles(folders: readonly string[]): MutatedFile[] {
  let firstId = 0;
  return folders
    .flatMap((folder) => (folder.endsWith('.ts') ? [folder] : filesBelow(folder)))
    .map((path) => {
      const source = readFileSync(`${root}${path}`, 'utf8');
      const file = { path, source, edits: editsOf(source), firstId };
      firstId += file.edits.length;
      return file;
    });
}

function filesBelow(folder: string): string[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .filter((path) => !path.includes('/generated/') && (folder === onlyWhenNamed || !path.startsWith(onlyWhenNamed)))
    .toSorted();
}

/** Where the seeds of the simulation are cases like any other. */
const seedsFile = 'test/tools/mutation/seeds.ts';

export function tierOf(testFile: string): string {
  return testFile === seedsFile ? 'simulation' : (testFile.split('/')[1] ?? '');
}

/** Of the service: its own tests. Others reach it as the peer of a client, and take long to notice what its own have not. */
const serviceTests = ['unit/service', 'unit/serve', 'property/service', 'contract/{serve,service}-*'];

/** Test files of the fast tiers that reach one of the `sources` by imports; with the simulation, which the service takes no part in. */
export function testFilesReaching(sources: readonly string[]): string[] {
  const isService = sources.every((path) => path.startsWith('src/service/'));
  const files = testFilesIn(isService ? serviceTests : ['unit', 'property', 'contract']).filter(reachesOneOf(sources));
  return isService ? files : [...files, seedsFile];
}

function testFilesIn(places: readonly string[]): string[] {
  return places
    .flatMap((place) => globSync(`test/${place.includes('*') ? place : `${place}/**/*`}.test.ts`, { cwd: root }))
    .toSorted();
}

function reachesOneOf(sources: readonly string[]): (testFile: string) => boolean {
  const wanted = new Set(sources);
  const known = new Map<string, boolean>();
  const reaches = (path: string): boolean => {
    if (wanted.has(path)) return true;
    const before = known.get(path);
    if (before !== undefined) return before;
    known.set(path, false);
    const found = importsOf(path).some((each) => reaches(each));
    known.set(path, found);
    return found;
  };
  return reaches;
}

const knownImports = new Map<string, readonly string[]>();

/** Files of the project that `path` imports values or types from. */
export function importsOf(path: string): readonly string[] {
  const known = knownImports.get(path);
  if (known) return known;
  const imports = readImports(path);
  knownImports.set(path, imports);
  return imports;
}

function readImports(path: string): string[] {
  const text = readFileSync(`${root}${path}`, 'utf8');
  const names = [...text.matchAll(/(?:from|import\() ?'(\.[^']+\.ts)'/g)].map(([, name = '']) => name);
  return names
    .map((name) => new URL(name, `file:///${path}`).pathname.slice(1))
    .filter((each) => existsSync(`${root}${each}`));
}
