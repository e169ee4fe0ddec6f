// Every edit of a source file: every site of every kind, and how each is switched on and off where it is.
import { childrenOf, type Node, nodeOf, nodesOf, parse, unwrapped } from './syntax.ts';

/** Where an edit takes effect. `text` replaces the code between `start` and `end`; without it, that code is not executed. */
export interface Part {
  /** `member`: from the dot of `.some` to its end; `text` is then the other name. */
  readonly at: 'expression' | 'statement' | 'body' | 'member';
  readonly start: number;
  readonly end: number;
  readonly text?: string;
}

export interface Edit {
  readonly kind: string;
  /** What the edit is about, as the source has it: with `after` it names the edit. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
  readonly parts: readonly Part[];
}

/** Gives the edits that begin at one node. `source` is the text of the file. */
type EditMaker = (node: Node, source: string) => readonly Edit[];

function textOf(source: string, { start, end }: Node): string {
  return source.slice(start, end);
}

/** `node`, an expression, becomes `after`. */
function replaced(kind: string, source: string, node: Node, after: string): Edit {
  const { start, end } = node;
  return {
    kind,
    start,
    end,
    before: textOf(source, node),
    after,
    parts: [{ at: 'expression', start, end, text: after }],
  };
}

// Conditions.

const turned: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
};

const comparisons: EditMaker = (node, source) => {
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
const conditions: EditMaker = (node, source) => {
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

const operands: EditMaker = (node, source) => {
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

// Constants: texts with a space or a full stop are messages and stay.

const constants: EditMaker = (node, source) =>
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

// Calls.

/** Functions that treat their arguments alike: swapped, nothing changes. */
const symmetric = new Set(['Math.min', 'Math.max', 'sameName', 'isSameJson', 'oneOf', 'AbortSignal.any']);

const swappedArguments: EditMaker = (node, source) => {
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

const swappedMethods: EditMaker = (node, source) => {
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

const awaits: EditMaker = (node, source) => {
  const argument = nodeOf(node, 'argument');
  if (node.type !== 'AwaitExpression' || !argument) return [];
  return [replaced('await dropped', source, node, textOf(source, argument))];
};

/** Of objects; of arrays and arguments a spread is the value itself. */
const spreads: EditMaker = (node, source) => {
  if (node.type !== 'ObjectExpression') return [];
  return nodesOf(node, 'properties')
    .filter(({ type }) => type === 'SpreadElement')
    .flatMap((spread) => nodeOf(spread, 'argument') ?? [])
    .map((argument) => replaced('spread dropped', source, argument, '{}'));
};

// Statements.

const droppedStatements: EditMaker = (node, source) => {
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

const emptiedCatches: EditMaker = (node, source) => {
  const body = node.type === 'CatchClause' ? nodeOf(node, 'body') : undefined;
  if (!body || nodesOf(body, 'body').length === 0) return [];
  const parts = [{ at: 'body', start: body.start + 1, end: body.end - 1 } as const];
  return [
    { kind: 'catch emptied', start: body.start, end: body.end, before: textOf(source, body), after: '{}', parts },
  ];
};

/** A literal is moved as a constant already. */
const droppedReturns: EditMaker = (node, source) => {
  const argument = node.type === 'ReturnStatement' ? nodeOf(node, 'argument') : undefined;
  if (!argument || argument.type === 'Literal' || textOf(source, argument) === 'undefined') return [];
  return [replaced('return value dropped', source, argument, 'undefined')];
};

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

/** In the order of the text. Calls of a logger are left as they are, since the words and facts of a log line are messages. */
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
