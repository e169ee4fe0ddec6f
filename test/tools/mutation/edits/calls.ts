// Edits of calls: arguments swapped, methods exchanged for their opposite, `await` and spreads dropped.
import { type Node, nodeOf, nodesOf } from '../syntax.ts';
import { type Edit, type EditMaker, replaced, textOf } from './edit.ts';

/** Functions that treat their arguments alike: swapped, nothing changes. */
const symmetric = new Set(['Math.min', 'Math.max', 'sameName', 'isSameJson', 'oneOf', 'AbortSignal.any']);

export const swappedArguments: EditMaker = (node, source) => {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return [];
  const called = nodeOf(node, 'callee');
  const callee = called ? textOf(source, called) : '';
  if (symmetric.has(callee)) return [];
  const given = nodesOf(node, 'arguments');
  return given.flatMap((second, index) => {
    const first = given[index - 1];
    return first && isSwappable(source, callee, first, second) ? [swap(source, first, second)] : [];
  });
};

const errorTests = new Set(['isCoded', 'isAlertsError', 'isKubeError', 'isClusterError', 'isControllerError']);

function isSwappable(source: string, callee: string, first: Node, second: Node): boolean {
  if ([first, second].some((each) => each.type === 'SpreadElement' || isMessage(each))) return false;
  // The codes after the error have no order.
  if ([first, second].every(({ type }) => type === 'Literal') && errorTests.has(callee)) return false;
  return textOf(source, first) !== textOf(source, second);
}

function isMessage({ type, value }: Node): boolean {
  return type === 'Literal' && typeof value === 'string' && /\s/.test(value);
}

function swap(source: string, first: Node, second: Node): Edit {
  const [one, other] = [textOf(source, first), textOf(source, second)];
  return {
    kind: 'argument swapped',
    start: first.start,
    end: second.end,
    before: source.slice(first.start, second.end),
    after: `${other}, ${one}`,
    parts: [
      { at: 'expression', start: first.start, end: first.end, text: other },
      { at: 'expression', start: second.start, end: second.end, text: one },
    ],
  };
}

const opposites = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
]);

export const swappedMethods: EditMaker = (node, source) => {
  const callee = nodeOf(node, 'callee');
  const [object, property] = callee ? [nodeOf(callee, 'object'), nodeOf(callee, 'property')] : [];
  if (node.type !== 'CallExpression' || callee?.type !== 'MemberExpression' || !object || !property) return [];
  const name = textOf(source, property);
  if (name === 'filter') return dropFilter(node, source);
  const other = opposites.get(name);
  if (other === undefined) return [];
  // Not the end of the object: a parenthesis may precede the dot.
  const start = property.start - (/\??\.\s*$/.exec(source.slice(object.end, property.start))?.[0].length ?? 0);
  const parts = [{ at: 'member', start, end: property.end, text: other } as const];
  return [
    {
      kind: 'method swapped',
      start: callee.start,
      end: callee.end,
      before: textOf(source, callee),
      after: other,
      parts,
    },
  ];
};

function dropFilter(call: Node, source: string): Edit[] {
  return nodesOf(call, 'arguments').map((predicate) => replaced('method swapped', source, predicate, '() => true'));
}

export const awaits: EditMaker = (node, source) => {
  const argument = nodeOf(node, 'argument');
  if (node.type !== 'AwaitExpression' || !argument) return [];
  return [replaced('await dropped', source, node, textOf(source, argument))];
};

/** Of objects; of arrays and arguments a spread is the value itself. */
export const spreads: EditMaker = (node, source) => {
  if (node.type !== 'ObjectExpression') return [];
  return nodesOf(node, 'properties')
    .filter(({ type }) => type === 'SpreadElement')
    .flatMap((spread) => nodeOf(spread, 'argument') ?? [])
    .map((argument) => replaced('spread dropped', source, argument, '{}'));
};
