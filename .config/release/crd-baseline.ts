// The custom resource definitions as the last release has them, without their texts. test/unit/support/crd-compatibility.test.ts compares the
// present ones with them, so only a release replaces them, never `npm run generate`.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { parse, stringify } from 'yaml';

import { isObject, isString } from '../../src/lib/json-shape.ts';
import { breaksOf, type Definition } from '../../test/support/checks/crd-compatibility.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const file = `${root}test/fixtures/crds/released.yaml`;

export function readPresentCrds(): readonly Definition[] {
  const files = globSync('crds/rolealerts.dev_*.yaml', { cwd: root }).toSorted();
  return files.map((each) => parse(readFileSync(`${root}${each}`, 'utf8')) as Definition);
}

export function readReleasedCrds(): readonly Definition[] {
  return parse(readFileSync(file, 'utf8')) as readonly Definition[];
}

/** Throws with what would break when the recorded version has a tag: then it is released. */
export function recordCrds(): string {
  const released = readReleasedCrds();
  const version = released[0]?.metadata.annotations['rolealerts.dev/version'] ?? '';
  const isTagged = execFileSync('git', ['-C', root, 'tag', '--list', `v${version}`], { encoding: 'utf8' }) !== '';
  const breaks = breaksOf(released, readPresentCrds());
  if (isTagged && breaks.length > 0) throw new Error(`Users of ${version} would lose:\n${breaks.join('\n')}`);
  writeFileSync(file, recordOf(readPresentCrds()));
  return file;
}

function recordOf(definitions: readonly Definition[]): string {
  const kept = JSON.stringify(definitions, (key, value: unknown) => {
    if (key === 'additionalPrinterColumns' || (key === 'description' && isString(value))) return undefined;
    return isObject(value) && isString(value['rule']) ? { rule: value['rule'] } : value;
  });
  const heading =
    '# Made by `npm run release -- --record-crds`: the custom resource definitions of the last release.\n';
  return heading + stringify(JSON.parse(kept), { lineWidth: 0 });
}
