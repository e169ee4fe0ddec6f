// Parses YAML 1.2 with the types of JSON, and finds what would get lost. Names are texts as written (1.0 is not 1), tags beyond the
// core schema are refused, and a date is text.
import {
  isAlias,
  isCollection,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument as parseNodes,
  visit,
  type Alias,
  type Document,
  type Pair,
  type Scalar,
} from 'yaml';

import { isExactNumber } from './exact-number.ts';
import type { Loss } from './losses.ts';

interface ParsedYaml {
  readonly value: unknown;
  readonly losses: readonly Loss[];
  readonly lines: LineCounter;
}

/** Throws `YAMLError` for a text that is not YAML, and `ReferenceError` for an alias without its anchor or too many of them. */
export function parseYamlText(text: string): ParsedYaml {
  const lines = new LineCounter();
  const document = parseNodes(text, {
    lineCounter: lines,
    logLevel: 'error',
    // Also for a document that declares YAML 1.1, where `yes` is a flag and a date is not text.
    schema: 'core',
    resolveKnownTags: false,
    merge: false,
    stringKeys: true,
  });
  // A warning is an unknown tag or version: something that the value would lack.
  const [error] = [...document.errors, ...document.warnings];
  if (error) throw error;
  return { value: document.toJS(), losses: findLosses(document), lines };
}

function findLosses(document: Document.Parsed): readonly Loss[] {
  const losses: Loss[] = [];
  visit(document, {
    Scalar(_, scalar) {
      losses.push(...lossesOf(scalar));
    },
    Pair(_, pair) {
      if (isMerge(pair)) losses.push({ what: 'merge key', offset: offsetOf(pair.key) });
    },
    Alias(_, alias, ancestors) {
      if (ancestors.some((ancestor) => isTarget(ancestor, alias, document)))
        losses.push({ what: 'alias', offset: offsetOf(alias) });
    },
  });
  return losses;
}

/** Whether the alias repeats `node`. The names are compared first, because `resolve` searches the whole document. */
function isTarget(node: unknown, alias: Alias, document: Document.Parsed): boolean {
  return isCollection(node) && node.anchor === alias.source && node === alias.resolve(document);
}

/** `<<: *base` or `<<: [*one, *two]`. The member would keep its name, and what it merges would be missing. */
function isMerge({ key, value }: Pair): boolean {
  if (!isScalar(key) || key.type !== 'PLAIN' || key.value !== '<<') return false;
  return isAlias(value) || (isSeq(value) && value.items.length > 0 && value.items.every(isAlias));
}

function offsetOf(node: unknown): number {
  const { range } = node as Pick<Scalar, 'range'>;
  return range?.[0] ?? 0;
}

function lossesOf(scalar: Scalar): readonly Loss[] {
  const { value, source = '' } = scalar;
  const offset = offsetOf(scalar);
  if (typeof value === 'number' && !isExactNumber(source)) return [{ what: 'number', offset }];
  return typeof value === 'string' && !value.isWellFormed() ? [{ what: 'text', offset }] : [];
}
