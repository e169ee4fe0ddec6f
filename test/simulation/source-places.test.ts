// A deliberate bug finds its place after any rename, and says so when it has none.
import { describe, expect, it } from 'vitest';

import type { Edit } from './bugs.ts';
import { SourcePlaces } from './source-places.ts';

const source = `import { mayRetry } from './retries.ts';
// Sends it.
export function send(client: Client, call: Call): boolean {
  const { tries } = call;
  if (mayRetry(tries, client)) client.send(call);
  return client.sent > tries;
}
`;
const find = 'if (mayRetry(tries, client)) client.send(call);\nreturn client.sent > tries;';
const replace =
  'const all = tries;\nclient.send(call);\nreturn client.sent > Math.max(all, 1) && [call].some((each) => each !== undefined);';

function edited(text: string, edit: Partial<Edit> = {}, others: readonly string[] = []): string | undefined {
  const files = [text, ...others].map((each, index) => ({ path: `src/${index}.ts`, text: each }));
  return new SourcePlaces(files).edited([{ find, replace, ...edit }])[0]?.text;
}

describe('the place of an edit', () => {
  const changed = edited(source) ?? '';

  it('has the quoted syntax', () => {
    expect(changed).not.toContain('mayRetry(');
    expect(changed).toContain('  const { tries } = call;\n  const all = tries;\n');
  });

  it.each([
    ['a function', /\bmayRetry\b/g],
    ['a parameter', /\bclient\b/g],
    ['a variable with its member', /\btries\b/g],
  ])('stays when %s is renamed', (_, name) => {
    expect(edited(source.replace(name, 'renamed'))).toBe(changed.replace(name, 'renamed'));
  });

  it('stays when a member is renamed without the variable of its name', () => {
    const text = source.replace('{ tries }', '{ count: tries }').replace('client.sent', 'client.tries');
    const quote = `const { tries } = call;\n${find}`;
    expect(edited(text, { find: quote, replace: 'const { tries } = call;\nreturn tries > client.sent;' })).toContain(
      '  const { count: tries } = call;\nreturn tries > client.tries;\n}',
    );
  });

  it('stays when the code is written in another layout, and moves to another file', () => {
    const text = source.replace(
      'if (mayRetry(tries, client)) ',
      'if (\n    mayRetry(tries, client,)\n  )\n    // Again.\n    ',
    );
    expect(edited(text)).toBe(changed);
    expect(new SourcePlaces([{ path: 'src/new.ts', text }]).edited([{ find, replace }])[0]?.path).toBe('src/new.ts');
  });

  it('can be a member, or a case', () => {
    const text = 'f({ a: 1, limit: least(2), b: 3 });\nswitch (kind) { case "Small": return 1; default: return 2; }';
    expect(edited(`() => { ${text} }`, { find: 'limit: least(2),', replace: 'limit: 2' })).toContain('limit: 2, b');
    const quote = { find: "case 'Small':\n  return 1;", replace: "case 'Small': return 3;" };
    expect(edited(`() => { ${text} }`, quote)).toContain("{ case 'Small': return 3; default");
  });

  it('of several edits are those of the source before all of them', () => {
    const files = [{ path: 'src/0.ts', text: source }];
    const edits = [
      { find: 'client.sent > tries', replace: 'tries' },
      { find: 'client.send(call);', replace: '' },
    ];
    expect(new SourcePlaces(files).edited(edits)[0]?.text).toContain('client)) \n  return tries;');
  });
});

describe('an edit is refused', () => {
  it('without a place', () => {
    expect(() => edited(source, { find: 'client.sent >= tries' })).toThrow('"client.sent >= tries" has 0 places');
    expect(() => edited(source, { find: 'client.sent > client' })).toThrow('has 0 places');
  });

  it('with several, whatever their names', () => {
    expect(() => edited(source, {}, [source.replaceAll(/\bclient\b/g, 'other')])).toThrow(
      'has 2 places: src/0.ts, src/1.ts',
    );
  });

  it('when it names what a rename would not change with it', () => {
    expect(() => edited(source, { replace: 'send(call);' })).toThrow('"send(call);" names send');
    expect(() => edited(source, { replace: 'call.member;' })).toThrow('"call.member;" names .member');
  });

  it('unless another quote has the name', () => {
    const other = 'export const first = (order: Order) => order.list[0];\n';
    const edit = {
      find: 'client.sent > tries',
      replace: 'call.list > tries',
      names: '(order: Order) => order.list[0]',
    };
    expect(() => edited(source, edit, [other])).toThrow('names call');
    expect(edited(source, { ...edit, replace: 'client.list > tries' }, [other.replace('.list', '.all')])).toContain(
      'return client.all > tries;',
    );
  });

  it('when it is not TypeScript', () => {
    expect(() => edited(source, { find: 'if (mayRetry(tries, client)) {' })).toThrow('is neither an expression nor');
  });
});

it('an edit of a CRD finds its text as it is', () => {
  const places = new SourcePlaces([
    { path: 'crds/rolealerts.dev_things.yaml', text: 'rule: "self > 0"\nrule: "self"' },
  ]);
  const [file] = places.edited([{ crd: 'things', find: 'self > 0', replace: 'true' }]);
  expect(file?.text).toBe('rule: "true"\nrule: "self"');
  expect(() => places.edited([{ crd: 'things', find: 'self', replace: '' }])).toThrow(
    'not in crds/rolealerts.dev_things',
  );
});
