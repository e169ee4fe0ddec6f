// Parses YAML 1.2 with the types of JSON, and finds what would get lost. Names are texts as written (1.0 is not 1), tags beyond the
// core schema are refused, and a date is text.
import { LineCounter, parseDocument as parseNodes, visit, type Scalar } from 'yaml';

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
  const losses: Loss[] = [];
  visit(document, {
    Scalar(_, scalar) {
      losses.push(...lossesOf(scalar));
    },
  });
  return { value: document.toJS(), losses, lines };
}

function lossesOf({ value, source = '', range }: Scalar): readonly Loss[] {
  const [offset] = range ?? [0];
  if (typeof value === 'number' && !isExactNumber(source)) return [{ what: 'number', offset }];
  return typeof value === 'string' && !value.isWellFormed() ? [{ what: 'text', offset }] : [];
}
