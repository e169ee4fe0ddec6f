// One name, one meaning: a reader who meets an exported name knows which one it is without the import.
import { globSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

const declaration =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let|enum) (\w+)/gm;

test('each exported name of src has one meaning', () => {
  const places = new Map<string, Set<string>>();
  for (const file of globSync('src/**/*.ts')) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(declaration)) {
      places.set(name, (places.get(name) ?? new Set()).add(file));
    }
  }
  expect(places.size).toBeGreaterThan(500);
  const ambiguous = [...places].filter(([, declaredIn]) => declaredIn.size > 1);
  expect(ambiguous.map(([name, declaredIn]) => `${name}: ${[...declaredIn].join(', ')}`)).toEqual([]);
});
