// Every edit of a source file: every site of every kind. Calls of a logger are left as they are, since the words and facts of a log
// line are messages.
import { childrenOf, type Node, nodeOf, parse, unwrapped } from '../syntax.ts';
import { awaits, spreads, swappedArguments, swappedMethods } from './calls.ts';
import { comparisons, conditions, operands } from './conditions.ts';
import { constants } from './constants.ts';
import { type Edit, type EditMaker, textOf } from './edit.ts';
import { droppedReturns, droppedStatements, emptiedCatches } from './statements.ts';

const makers: readonly EditMaker[] = [
  comparisons,
  conditions,
  operands,
  constants,
  swappedArguments,
  swappedMethods,
  awaits,
  spreads,
  droppedStatements,
  emptiedCatches,
  droppedReturns,
];

/** In the order of the text. */
export function editsOf(source: string): Edit[] {
  return editsBelow(parse(source), source);
}

function editsBelow(node: Node, source: string): Edit[] {
  if (isLogging(node, source)) return [];
  return [
    ...makers.flatMap((maker) => maker(node, source)),
    ...childrenOf(node).flatMap((child) => editsBelow(child, source)),
  ];
}

function isLogging(node: Node, source: string): boolean {
  const call = unwrapped(node.type === 'ExpressionStatement' ? (nodeOf(node, 'expression') ?? node) : node);
  const callee = call.type === 'CallExpression' ? nodeOf(call, 'callee') : undefined;
  const logger = callee?.type === 'MemberExpression' ? nodeOf(callee, 'object') : undefined;
  return logger !== undefined && /(^|[.#])log$/.test(textOf(source, logger));
}
