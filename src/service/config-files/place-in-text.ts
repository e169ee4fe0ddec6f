// Finds the line and column of a path like `scopes["a/b"].value[0].name` in the text of a document. Only a refused document is searched,
// so this parses the text again, as YAML, which JSON is.
import { isMap, isScalar, isSeq, LineCounter, parseDocument as parseNodes, type Node, type Pair } from 'yaml';

import { cleanText } from '../../lib/clean-text.ts';
import { placeOf } from './losses.ts';

/** In a longer text the search would take seconds. */
export const longestText = 1024 * 1024;

/** Returns the place of the path that a problem begins with, or of the object around it; undefined when the text does not show it. */
export function createFindPlace(text: string): (problem: string) => string | undefined {
  if (text.length > longestText) return () => undefined;
  const lines = new LineCounter();
  const root = parseOrNothing(text, lines);
  return (problem) => {
    const offset = offsetOf(root, problem);
    return offset === undefined ? undefined : placeOf(offset, lines);
  };
}

function parseOrNothing(text: string, lineCounter: LineCounter): Node | null {
  try {
    return parseNodes(text, { lineCounter, logLevel: 'silent', schema: 'core', stringKeys: true, uniqueKeys: false })
      .contents;
  } catch {
    // Nested too deeply.
    return null;
  }
}

/** `found` is the offset of the innermost part of the path so far. */
function offsetOf(node: unknown, path: string, found?: number): number | undefined {
  if (isSeq(node)) {
    const [step, index = ''] = /^\[([0-9]+)\]/.exec(path) ?? [];
    const item = step === undefined ? undefined : node.items[Number(index)];
    return item === undefined ? found : offsetOf(item, path.slice(step?.length), startOf(item) ?? found);
  }
  const step = isMap(node) ? longestStep(node.items, path) : undefined;
  return step ? offsetOf(step.pair.value, path.slice(step.length), startOf(step.pair.key) ?? found) : found;
}

interface Step {
  readonly pair: Pair;
  /** The number of characters of the path that name the pair. */
  readonly length: number;
}

/** The member that the path begins with. A name may contain dots and brackets, so the longest one that fits is meant. */
function longestStep(pairs: readonly Pair[], path: string): Step | undefined {
  const steps = pairs.map((pair) => ({ pair, length: lengthOfStep(pair, path) }));
  return steps.filter(({ length }) => length > 0).toSorted((one, other) => other.length - one.length)[0];
}

function lengthOfStep({ key }: Pair, path: string): number {
  const name = isScalar(key) ? cleanText(String(key.value)) : '';
  const spellings = [`["${name}"]`, `.${name}`, name];
  const step = spellings.find((each) => path.startsWith(each) && /^(?:$|[.[: ])/.test(path.slice(each.length)));
  return name === '' ? 0 : (step?.length ?? 0);
}

function startOf(node: unknown): number | undefined {
  return (node as Partial<Node> | null)?.range?.[0];
}
