// Mutations of constants: a flag negated, a number made larger and smaller, a word emptied. Texts with a space or a full stop are messages and stay.
import type { Node } from '../syntax.ts';
import { type EditMaker, replaced } from './edit.ts';

export const constants: EditMaker = (node, source) =>
  valuesBeside(node).map((value) => replaced('constant moved', source, node, value));

function valuesBeside(node: Node): string[] {
  if (node.type !== 'Literal') return [];
  const { value } = node;
  if (typeof value === 'boolean') return [String(!value)];
  if (typeof value === 'number') return numbersBeside(value).map(String);
  return typeof value === 'string' && value !== '' && !/\s|\.$/.test(value) ? ["''"] : [];
}

/** Zero and one are exchanged, counts go up and down by one, durations and sizes by a factor of two. */
function numbersBeside(value: number): number[] {
  if (value === 0 || value === 1) return [1 - value];
  return Number.isInteger(value) && value < 10 ? [value + 1, value - 1] : [value * 2, value / 2];
}
