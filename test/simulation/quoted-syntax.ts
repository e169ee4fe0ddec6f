// A few lines of source as syntax, apart from what things are named in it: a name is only which one it is, and a replacement gets the names
// that the source has where it goes.
import { isNode, type Node, parse } from '../tools/mutation/syntax.ts';

interface Quote {
  readonly nodes: readonly Node[];
  /** What the nodes count from. */
  readonly offset: number;
}

/** How an expression, statements, members of an object and cases of a switch become a program. */
const frames: readonly (readonly [string, string])[] = [
  ['void (', '\n)'],
  ['async () => { for (;;) {', '\n} }'],
  ['void {', '\n}'],
  ['async () => { switch (0) {', '\n} }'],
];

export function parseQuote(text: string): Quote {
  for (const [before, after] of frames) {
    const nodes = nodesWithin(before, text, after);
    if (nodes && nodes[0]?.type !== 'LabeledStatement') return { nodes, offset: before.length };
  }
  throw new Error(`"${text}" is neither an expression nor statements, members or cases`);
}

/** Undefined when it is no program. */
function nodesWithin(before: string, text: string, after: string): Node[] | undefined {
  const isWithin = ({ start, end }: Node) => start >= before.length && end <= before.length + text.length;
  const outermost = (node: Node): Node[] =>
    isWithin(node) ? [node] : membersOf(node).flatMap(({ value }) => nodesIn(value).flatMap(outermost));
  try {
    return outermost(parse(before + text + after));
  } catch {
    return undefined;
  }
}

/**
 * `shape`: the syntax without layout, comments and names, each name being the number of its first use. `names`: these names. What is
 * the same but for a consistent renaming has the same shape.
 */
export function outlineOf(nodes: readonly Node[]): { readonly shape: string; readonly names: readonly string[] } {
  const names: string[] = [];
  const numberOf = (name: string) => (names.includes(name) ? names.indexOf(name) : names.push(name) - 1);
  const shapeOf = (value: unknown, isMember: boolean): string => {
    if (Array.isArray(value)) return `[${value.map((each) => shapeOf(each, isMember)).join()}]`;
    if (!isNode(value)) return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
    const name = nameOf(value, isMember);
    const own = name === undefined ? value.type : name in globalThis ? name : `$${numberOf(name)}`;
    return `${own}(${membersOf(value)
      .map((each) => shapeOf(each.value, each.isMember))
      .join()})`;
  };
  return { shape: shapeOf(nodes, false), names };
}

/** `text` with the names of the place. Throws when it has a name that a rename could change without changing it here. */
export function withNames(text: string, renamed: ReadonlyMap<string, string>): string {
  const { nodes, offset } = parseQuote(text);
  const uses = nodes.flatMap((node) => usesIn(node));
  const own = new Set(nodes.flatMap((node) => declaredIn(node)));
  const strange = uses.find(({ name }) => !renamed.has(name) && !own.has(name) && !isStandard(name));
  if (strange) throw new Error(`"${text}" names ${strange.name}, which is not in what it replaces`);
  let result = '';
  let from = 0;
  for (const [start, names] of Map.groupBy(uses, (use) => use.start - offset)) {
    // A member and its value, when both are written as one.
    const written = new Set(names.map(({ name }) => (renamed.get(name) ?? name).replace(/^\./, '')));
    result += text.slice(from, start) + [...written].join(': ');
    from = start + (names[0]?.name.replace(/^\./, '').length ?? 0);
  }
  return result + text.slice(from);
}

interface Use {
  readonly name: string;
  readonly start: number;
}

/** In the order of the text. */
function usesIn(node: Node, isMember = false): Use[] {
  const name = nameOf(node, isMember);
  const below = membersOf(node).flatMap((each) => nodesIn(each.value).flatMap((inner) => usesIn(inner, each.isMember)));
  return [...(name === undefined ? [] : [{ name, start: node.start }]), ...below].toSorted(
    (one, other) => one.start - other.start,
  );
}

/** Variables and parameters. */
function declaredIn(node: Node): string[] {
  const declared = node.type === 'VariableDeclarator' ? node['id'] : node['params'];
  return [
    ...nodesIn(declared).flatMap((each) => usesIn(each).map(({ name }) => name)),
    ...membersOf(node).flatMap(({ value }) => nodesIn(value).flatMap(declaredIn)),
  ];
}

/** A member has a dot before its name: it may be renamed without the variable of that name. */
function nameOf({ type, name }: Node, isMember: boolean): string | undefined {
  if (type === 'PrivateIdentifier') return `#${String(name)}`;
  if (type !== 'Identifier') return undefined;
  return isMember ? `.${String(name)}` : String(name);
}

/** Of the language and its library: no rename changes it. */
function isStandard(name: string): boolean {
  return name in globalThis || libraryMembers.has(name);
}

const libraryMembers = new Set(
  [Array, Error, Function, Iterator, Map, Math, Number, Object, Promise, RegExp, Set, String]
    .flatMap((value) => ('prototype' in value ? [value, value.prototype] : [value]))
    .flatMap((value) => Object.getOwnPropertyNames(value))
    .map((name) => `.${name}`),
);

interface Member {
  readonly value: unknown;
  /** Its names are names of members. */
  readonly isMember: boolean;
}

/** What does not say how something is written, or what it is called. */
export function membersOf(node: Node): Member[] {
  const isNamed = node['computed'] === false;
  return Object.keys(node)
    .filter((name) => !layout.has(name) && (name !== 'name' || isNode(node[name])))
    .map((name) => ({ value: node[name], isMember: isNamed && (name === 'key' || name === 'property') }));
}

const layout = new Set(['type', 'start', 'end', 'raw', 'shorthand']);

export function nodesIn(value: unknown): Node[] {
  return (Array.isArray(value) ? value : [value]).filter((each) => isNode(each));
}
