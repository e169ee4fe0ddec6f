// Documents that people write, as text: JSON goes the fast way, whatever is not JSON is YAML. What stands in them is
// checked elsewhere; here is only how reading fails, and how problems become one sentence.
import { readFile } from 'node:fs/promises';

import { parse } from 'yaml';

import { cleanText } from '../lib/clean-text.ts';
import { messageOf, OperatorError } from '../lib/errors.ts';

/** More problems than this are counted, not listed. */
const listedProblems = 5;

/** `what` is how sentences call the document: "seed". Throws `OperatorError` `usage`. */
export async function readDocument(what: string, file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new OperatorError('usage', `The ${what} file ${file} cannot be read: ${messageOf(cause)}.`);
  });
  return parseDocument(what, text, file);
}

/** `source` is what error sentences call the text. Throws `OperatorError` `usage`. */
export function parseDocument(what: string, text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(what, text, source);
  }
}

function parseYaml(what: string, text: string, source: string): unknown {
  try {
    return parse(text, { prettyErrors: true, logLevel: 'error' });
  } catch (cause) {
    const [firstLine = ''] = messageOf(cause).split('\n');
    const reason = cleanText(firstLine).replace(/:$/, '');
    throw new OperatorError('usage', `The ${what} ${source} is neither JSON nor YAML: ${reason}.`);
  }
}

/** Throws `OperatorError` `usage` that names the first problems; does nothing when there are none. */
export function refuseProblems(what: string, source: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const rest = problems.length > listedProblems ? `; and ${problems.length - listedProblems} more` : '';
  const listed = problems.slice(0, listedProblems).join('; ');
  throw new OperatorError('usage', `The ${what} ${source} cannot be used: ${listed}${rest}.`);
}
