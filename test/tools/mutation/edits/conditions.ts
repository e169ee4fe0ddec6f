// Mutations of conditions: comparisons reversed, conditions dropped.
import { type Node, nodeOf } from '../syntax.ts';
import { type Edit, type EditMaker, replaced, textOf } from './edit.ts';

const turned: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
};

export const comparisons: EditMaker = (node, source) => {
  const [left, right] = [nodeOf(node, 'left'), nodeOf(node, 'right')];
  if (node.type !== 'BinaryExpression' || !left || !right) return [];
  const operator = String(node['operator']);
  const others = turned[operator] ?? [];
  // Parentheses around an operand are outside of it.
  const between = source.slice(left.end, right.start);
  const [before, after] = [source.slice(node.start, left.end), source.slice(right.start, node.end)];
  return others.map((other) =>
    replaced('comparison turned', source, node, before + between.replace(operator, other) + after),
  );
};

/** An endless loop proves nothing, so its condition only becomes false. */
export const conditions: EditMaker = (node, source) => {
  const test = nodeOf(node, 'test');
  if (test && (node.type === 'IfStatement' || node.type === 'ConditionalExpression')) {
    return test.type === 'Literal'
      ? []
      : ['true', 'false'].map((value) => replaced('condition dropped', source, test, value));
  }
  if (test && node.type === 'WhileStatement' && test.type !== 'Literal') {
    return [replaced('condition dropped', source, test, 'false')];
  }
  return [];
};

export const operands: EditMaker = (node, source) => {
  const argument = nodeOf(node, 'argument');
  if (node.type === 'UnaryExpression' && node['operator'] === '!' && argument) {
    return [replaced('condition dropped', source, node, textOf(source, argument))];
  }
  if (node.type !== 'LogicalExpression') return [];
  const kind = node['operator'] === '??' ? 'fallback dropped' : 'condition dropped';
  return [nodeOf(node, 'left'), nodeOf(node, 'right')]
    .filter((side): side is Node => side !== undefined)
    .map((side): Edit => replaced(kind, source, node, textOf(source, side)));
};
