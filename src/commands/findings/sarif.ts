// The frame of a SARIF 2.1.0 log, which code scanning reads.
import { indentedJson } from '../../lib/indented-json.ts';

/** `rules`: a heading by rule id. */
export function sarifLog(
  version: string,
  rules: Readonly<Record<string, string>>,
  results: readonly unknown[],
): string {
  const driver = {
    name: 'rolealerts',
    version,
    rules: Object.entries(rules).map(([id, text]) => ({ id, shortDescription: { text } })),
  };
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results }],
  };
  return indentedJson(log);
}

/** A relative reference; standard input has no file. A colon in it would end a scheme. */
export function sarifUri(file: string): string {
  if (file === '-') return 'stdin';
  const path = file.replace(/^\.\//, '').replaceAll('\\', '/').toWellFormed();
  return encodeURI(path).replaceAll(/[?#:]/g, encodeURIComponent);
}
