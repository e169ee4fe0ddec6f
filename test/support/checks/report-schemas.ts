// Checks reports against their schemas: SARIF against test/fixtures/reports/sarif.schema.json, JUnit against junit.xsd there.
import { readFileSync } from 'node:fs';

import { Ajv } from 'ajv';
import { validateXML } from 'xmllint-wasm';

const folder = new URL('../../fixtures/reports/', import.meta.url);

/** The violations of a SARIF log; empty when there are none. */
export function sarifProblems(text: string): readonly string[] {
  const formats = { uri: (uri: string) => URL.canParse(uri), 'uri-reference': isReference };
  const validate = new Ajv({ allErrors: true, formats }).compile(JSON.parse(readFixture('sarif.schema.json')));
  validate(JSON.parse(text));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** The violations of JUnit reports; empty when there are none. */
export async function junitProblems(...texts: readonly string[]): Promise<readonly string[]> {
  const xml = texts.map((contents, index) => ({ fileName: `${index}.xml`, contents }));
  const { errors } = await validateXML({ xml, schema: [readFixture('junit.xsd')] });
  return errors.map(({ message, rawMessage }) => message || rawMessage);
}

/** RFC 3986: a URI, or a path without blanks and other excluded characters. */
function isReference(uri: string): boolean {
  return /^(?:[\w.~:/?#@!$&'()*+,;=[\]-]|%[0-9A-Fa-f]{2})*$/.test(uri) && URL.canParse(uri, 'file:///');
}

function readFixture(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}
