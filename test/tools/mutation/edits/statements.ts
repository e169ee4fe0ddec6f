// Edits of statements: a call or an assignment is not executed, a catch does nothing, a return has no value.
import { type Node, nodeOf, nodesOf, unwrapped } from '../syntax.ts';
import { type EditMaker, replaced, textOf } from './edit.ts';

export const droppedStatements: EditMaker = (node, source) => {
  const expression = node.type === 'ExpressionStatement' ? nodeOf(node, 'expression') : undefined;
  if (!expression || !hasEffect(expression)) return [];
  const { start, end } = node;
  const parts = [{ at: 'statement', start, end } as const];
  return [{ kind: 'statement dropped', start, end, before: textOf(source, node), after: '', parts }];
};

function hasEffect(expression: Node): boolean {
  const node = unwrapped(expression);
  const awaited = node.type === 'AwaitExpression' ? unwrapped(nodeOf(node, 'argument') ?? node) : node;
  if (awaited.type === 'CallExpression') return nodeOf(awaited, 'callee')?.type !== 'Super';
  return awaited.type === 'AssignmentExpression' || awaited.type === 'UpdateExpression';
}

export const emptiedCatches: EditMaker = (node, source) => {
  const body = node.type === 'CatchClause' ? nodeOf(node, 'body') : undefined;
  if (!body || nodesOf(body, 'body').length === 0) return [];
  const parts = [{ at: 'body', start: body.start + 1, end: body.end - 1 } as const];
  return [
    { kind: 'catch emptied', start: body.start, end: body.end, before: textOf(source, body), after: '{}', parts },
  ];
};

/** A literal is moved as a constant already. */
export const droppedReturns: EditMaker = (node, source) => {
  const argument = node.type === 'ReturnStatement' ? nodeOf(node, 'argument') : undefined;
  if (!argument || argument.type === 'Literal' || textOf(source, argument) === 'undefined') return [];
  return [replaced('return value dropped', source, argument, 'undefined')];
};
