// The syntax tree of a source file, without types, which are erased before execution.
import { parseAst } from 'rolldown/parseAst';

/** An ESTree node. `start` and `end` count UTF-16 units of the source text. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export function parse(text: string): Node {
  return parseAst(text, { lang: 'ts' }) as unknown as Node;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** Of the nodes that only TypeScript has, those that hold an expression. */
const typedExpressions = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

/** The nodes below `node` that are executed, in the order of the text. */
export function childrenOf(node: Node): Node[] {
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return [];
  return Object.entries(node)
    .filter(([member]) => !isName(node, member))
    .flatMap(([, value]) => value)
    .filter((value) => isNode(value))
    .filter(({ type }) => !type.startsWith('TS') || typedExpressions.has(type))
    .toSorted((one, other) => one.start - other.start);
}

/** What names a thing and cannot be an expression: keys of members, and modules. */
function isName(node: Node, member: string): boolean {
  if (member === 'source') return true;
  return member === 'key' && node['computed'] !== true;
}

export function nodeOf(node: Node, member: string): Node | undefined {
  const value = node[member];
  return isNode(value) ? value : undefined;
}

export function nodesOf(node: Node, member: string): Node[] {
  const value = node[member];
  return Array.isArray(value) ? value.filter((each) => isNode(each)) : [];
}

/** Without the parts that only the compiler reads. */
export function unwrapped(node: Node): Node {
  const inner =
    typedExpressions.has(node.type) || node.type === 'ChainExpression' ? nodeOf(node, 'expression') : undefined;
  return inner ? unwrapped(inner) : node;
}
