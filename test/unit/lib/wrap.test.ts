// Text that is broken into the lines of a terminal.
import { expect, it } from 'vitest';

import { wrapText } from '../../../src/lib/terminal-text.ts';

it.each<[string, number, string, string[]]>([
  ['a line that fits', 20, '', ['a line that fits']],
  ['a line that does not fit', 12, '', ['a line that', 'does not fit']],
  ['a line that does not fit', 12, '  ', ['a line that', '  does not', '  fit']],
  ['unbreakable', 4, '', ['unbr', 'eaka', 'ble']],
  ['any length', Infinity, '', ['any length']],
  ['', 10, '', ['']],
  ['no', 0, '', ['n', 'o']],
  ['room', 2, '  ', ['roo', '  m']],
])('"%s" in %i columns, indented by "%s"', (text, columns, indent, lines) => {
  expect(wrapText(text, columns, indent)).toEqual(lines);
});
