// The conformance tests of the service have the section of the specification in their titles, and leave none out; its README has the choices
// in the same order.
import { expect, test } from 'vitest';

import { readText, skippedIn, tablesOf } from '../support/checks/findings.ts';

const specification = readText('src/service/specification.md');
const tests = readText('test/contract/service-conformance.test.ts');

/** In the order of the page. */
const sections = [...specification.text.matchAll(/^##+ (\d(?:\.\d)?)[. ]/gm)].map(([, section = '']) => section);

/** Section 4 has only its subsections, and sections 6 and 8 define nothing. */
const isTestable = (section: string) => !['4', '6', '8'].includes(section);

test('every section that defines something has a conformance test', () => {
  expect(sections.length).toBeGreaterThan(15);
  const titles = [...tests.text.matchAll(/'([1-9](?:\.\d)?) [^'/]*'/g)].map(([, section = '']) => section);
  expect(titles.length).toBeGreaterThan(60);
  const named = new Set(titles);
  expect(sections.filter((section) => isTestable(section) && !named.has(section))).toEqual([]);
  expect([...named].filter((section) => !sections.includes(section))).toEqual([]);
});

test('no conformance test is skipped', () => {
  expect(skippedIn(tests)).toEqual([]);
  expect(tests.text).not.toMatch(/\.(?:skipIf|runIf)\(/);
});

test('the choices are in the order of the sections', () => {
  const page = readText('src/service/README.md');
  const [, ...choices] = tablesOf(page.text).find(([head]) => head?.cells.includes('choice')) ?? [];
  expect(choices.length).toBeGreaterThan(50);
  const chosen = choices.map(({ cells: [section = ''] }) => sections.indexOf(section));
  expect(chosen).toEqual(chosen.toSorted((a, b) => a - b));
  expect(chosen).not.toContain(-1);
});
