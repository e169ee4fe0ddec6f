// Reads configuration files: JSON with the fast parser, everything else as YAML. The value is exactly what the file says, or the
// file is refused. Other files check the content. Also combines problems into one error message.
import { YAMLError } from 'yaml';

import { cleanText } from '../../lib/clean-text.ts';
import { UsageError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import { readWholeFile } from '../../lib/read-bytes.ts';
import { parseJsonText } from './json-text.ts';
import { describeLoss } from './losses.ts';
import { createFindPlace } from './place-in-text.ts';
import { decodeUTF8 } from './utf8.ts';
import { parseYamlText } from './yaml-text.ts';

/** Maximum number of listed problems; the message counts the others. */
const listedProblems = 5;

/** `what` names the document in error messages: "seed". Throws `UsageError`. */
export async function readDocument(what: string, file: string, reasonOf: ReasonOf = messageReason): Promise<unknown> {
  return parseDocument(what, await readDocumentText(what, file), file, reasonOf);
}

/** Throws `UsageError` for a file that cannot be read, or is not UTF-8. */
export async function readDocumentText(what: string, file: string): Promise<string> {
  const bytes = await readWholeFile(file).catch((cause: unknown) => {
    throw new UsageError(`Cannot read the ${what} file ${file}: ${messageOf(cause)}.`);
  });
  return decodeUTF8(bytes, `The ${what} ${file}`);
}

/** `source` names the text in error messages. Throws `UsageError`. */
export function parseDocument(what: string, text: string, source: string, reasonOf: ReasonOf = messageReason): unknown {
  const { value, losses, lines } = parseJsonText(text) ?? parseYaml(what, text, source, reasonOf);
  refuseProblems(
    what,
    source,
    losses.map((loss) => describeLoss(loss, lines)),
  );
  return value;
}

function parseYaml(what: string, text: string, source: string, reasonOf: ReasonOf) {
  try {
    return parseYamlText(text);
  } catch (cause) {
    throw new UsageError(`The ${what} ${source} is neither JSON nor YAML: ${reasonOf(cause)}.`);
  }
}

/** Describes why a text cannot be parsed. */
type ReasonOf = (cause: unknown) => string;

function messageReason(cause: unknown): string {
  const [firstLine = ''] = messageOf(cause).split('\n');
  return cleanText(firstLine).replace(/:$/, '');
}

/** The kind and the position of a syntax error, without the text there, which may be an unquoted secret. */
export function discreetReason(cause: unknown): string {
  if (!(cause instanceof YAMLError)) return 'it cannot be read';
  const [start] = cause.linePos ?? [];
  const place = start ? ` at line ${start.line}, column ${start.col}` : '';
  return `${cause.code.toLowerCase().replaceAll('_', ' ')}${place}`;
}

/** Throws `UsageError` with the first problems, and their places in `text` if there is one; does nothing without problems. */
export function refuseProblems(what: string, source: string, problems: readonly string[], text?: string): void {
  if (problems.length === 0) return;
  const rest = problems.length > listedProblems ? `; and ${problems.length - listedProblems} more` : '';
  const listed = withPlaces(problems.slice(0, listedProblems), text).join('; ');
  throw new UsageError(`The ${what} ${source} is invalid: ${listed}${rest}.`);
}

function withPlaces(problems: readonly string[], text: string | undefined): readonly string[] {
  if (text === undefined) return problems;
  const findPlace = createFindPlace(text);
  return problems.map((problem) => {
    const place = findPlace(problem);
    return place === undefined ? problem : `${problem} (${place})`;
  });
}
