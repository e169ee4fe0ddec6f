// No text of the cluster becomes markup.
import { expect, test } from 'vitest';

import { markup, type MarkupValue, verbatim } from '../../../../src/commands/report/markup.ts';

test.each<[string, MarkupValue, string]>([
  ['a string', `<b title='x'>"&"</b>`, '&lt;b title=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/b&gt;'],
  ['a string that changes the direction of text', 'a\u202eb\u0000c', 'a b c'],
  ['a number', 0, '0'],
  ['nothing', undefined, ''],
  ['markup', markup`<i>${'<'}</i>`, '<i>&lt;</i>'],
  ['a list', ['<', markup`<hr>`, 1], '&lt;<hr>1'],
  ['text of the program', verbatim('<hr>'), '<hr>'],
])('a template renders %s', (_, value, expected) => {
  expect(markup`[${value}]`.text).toBe(`[${expected}]`);
});

test('an object that only has the members of markup is not markup', () => {
  const forged = JSON.parse('{"text":"<script>"}') as MarkupValue;
  expect(() => markup`${forged}`).toThrow(TypeError);
});
