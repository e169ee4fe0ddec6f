// Documents that people write, as text: JSON goes the fast way, whatever is not JSON is YAML. What stands in them is
// checked elsewhere; here is only how reading fails, and how problems become one sentence.
import { readFile } from 'node:fs/promises';

import { parse, YAMLParseError } from 'yaml';

import { cleanText } from '../../lib/clean-text.ts';
import { messageOf, OperatorError } from '../../lib/errors.ts';

/** More problems than this are counted, not listed. */
const listedProblems = 5;

/** `what` is how sentences call the document: "seed". Throws `OperatorError` `usage`. */
export async function readDocument(
  what: string,
  file: string,
  tellReason: TellReason = messageReason,
): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new OperatorError('usage', `The ${what} file ${file} cannot be read: ${messageOf(cause)}.`);
  });
  return parseDocument(what, text, file, tellReason);
}

/** `source` is what error sentences call the text. Throws `OperatorError` `usage`. */
export function parseDocument(
  what: string,
  text: string,
  source: string,
  tellReason: TellReason = messageReason,
): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, which is nothing wrong yet.
  }
  try {
    return parse(text, { prettyErrors: true, logLevel: 'error' });
  } catch (cause) {
    throw new OperatorError('usage', `The ${what} ${source} is neither JSON nor YAML: ${tellReason(cause)}.`);
  }
}

/** Why a text cannot be read. */
type TellReason = (cause: unknown) => string;

function messageReason(cause: unknown): string {
  const [firstLine = ''] = messageOf(cause).split('\n');
  return cleanText(firstLine).replace(/:$/, '');
}

/** Where and of which kind, and nothing of what stands there: it may be a secret that was not quoted. */
export function discreetReason(cause: unknown): string {
  if (!(cause instanceof YAMLParseError)) return 'it cannot be read';
  const [start] = cause.linePos ?? [];
  const place = start ? ` at line ${start.line}, column ${start.col}` : '';
  return `${cause.code.toLowerCase().replaceAll('_', ' ')}${place}`;
}

/** Throws `OperatorError` `usage` that names the first problems; does nothing when there are none. */
export function refuseProblems(what: string, source: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const rest = problems.length > listedProblems ? `; and ${problems.length - listedProblems} more` : '';
  const listed = problems.slice(0, listedProblems).join('; ');
  throw new OperatorError('usage', `The ${what} ${source} cannot be used: ${listed}${rest}.`);
}
