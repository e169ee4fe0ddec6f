// A JSON log line as text for people: time, level and message, then the fields as `name=value`, all on one line. Only the stack of
// a bug follows on lines of its own. Pure.
import { isObject } from './json-shape.ts';

const levelWidth = 'ERROR'.length;

/** Needs no quotes, so that a scope or a URL can be copied as it is. */
const plain = /^[^\s"=\\{[\p{C}][^\s"=\\\p{C}]*$/u;
/** Control and bidi characters, which can move the cursor or reorder the text of a terminal. */
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** `line` is one JSON object, as pino writes it. Ends with a line break. */
export function formatLogLine(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const { summary, stack } = bugOf(err);
  const facts = Object.entries({ ...fields, ...summary }).map(([name, value]) => ` ${name}=${formatValue(value)}`);
  return `${String(time)} ${String(level).toUpperCase().padEnd(levelWidth)} ${String(msg)}${facts.join('')}\n${stack}`;
}

function formatValue(value: unknown): string {
  if (typeof value === 'string' && plain.test(value)) return value;
  return JSON.stringify(value).replace(unsafe, escapeUnit);
}

/** The bug that the field `err` holds: its message as the field `error`, and its stack, indented. */
function bugOf(err: unknown): { readonly summary: { readonly error?: string }; readonly stack: string } {
  if (!isObject(err)) return { summary: {}, stack: '' };
  const { message, stack } = err;
  const lines = typeof stack === 'string' ? stack.split('\n') : [];
  return {
    summary: { error: String(message) },
    stack: lines.map((text) => `    ${text.replace(unsafe, escapeUnit)}\n`).join(''),
  };
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
