// Requests drawn from an OpenAPI description: every parameter valid or invalid, in every encoding, missing or
// repeated, any method, any caller, any body. Each says whether the description allows it, by its schemas alone.
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';

import {
  type OpenAPIDocument,
  type Operation,
  type Parameter,
  resolved,
  type Schema,
} from '../checks/openapi-document.ts';
import { awkwardText, mutatedBytes } from './mutate-json.ts';

export interface DescribedRequest {
  readonly method: string;
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether the description allows it, whatever exists; only then may it change anything. */
  readonly isAllowed: boolean;
  /** Values of the path parameters, decoded. */
  readonly names: Readonly<Record<string, string>>;
}

/** What exists, so that not everything is a 404: values of path parameters by name, and a token. */
export interface KnownValues {
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly token: string;
}

/** Part of a request, as it is sent, and whether the description allows it. */
interface Part<Value = string> {
  readonly sent: Value;
  readonly isAllowed: boolean;
}

export function describedRequests(document: OpenAPIDocument, known: KnownValues): fc.Arbitrary<DescribedRequest> {
  const operations = Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]) => requestsOf(document, known, { template, method, operation })),
  );
  return fc.oneof(...operations);
}

interface Described {
  readonly template: string;
  readonly method: string;
  readonly operation: Operation;
}

function requestsOf(document: OpenAPIDocument, known: KnownValues, described: Described) {
  const all = described.operation.parameters.map((each) => resolved(document, 'parameters', each));
  return fc
    .record({
      method: methodOf(described.method),
      path: pathOf(
        all.filter((each) => each.in === 'path'),
        known,
      ),
      query: queryOf(all.filter((each) => each.in === 'query')),
      caller: callerOf(known.token),
      content: contentOf(document, described.operation),
    })
    .map(({ method, path, query, caller, content }): DescribedRequest => {
      const target = described.template.replace(/\{(\w+)\}/g, (_, name: string) => path[name]?.sent ?? '');
      const deps = [method, query, caller, content, ...Object.values(path)];
      const type = content.sent.type === '' ? {} : { 'content-type': content.sent.type };
      return {
        method: method.sent,
        target: query.sent === '' ? target : `${target}?${query.sent}`,
        headers: { host: 'service.test', ...(caller.sent === '' ? {} : { authorization: caller.sent }), ...type },
        body: content.sent.body,
        isAllowed: deps.every(({ isAllowed }) => isAllowed),
        names: Object.fromEntries(Object.entries(path).map(([name, { value }]) => [name, value])),
      };
    });
}

function methodOf(own: string): fc.Arbitrary<Part> {
  const others = ['GET', 'HEAD', 'PATCH', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'];
  const right = own.toUpperCase();
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant({ sent: right, isAllowed: true }) },
    fc.constantFrom(...others).map((sent) => ({ sent, isAllowed: sent === right })),
  );
}

type PathPart = Part & { readonly value: string };

function pathOf(parameters: readonly Parameter[], known: KnownValues): fc.Arbitrary<Record<string, PathPart>> {
  const all = parameters.map(({ name, schema }) => {
    const values = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...(known.names[name] ?? [''])) }, textsOf(schema));
    const part = fc.record({ value: values, encode: encodings }).map(({ value, encode }) => ({
      value,
      sent: encode(value),
      isAllowed: value.isWellFormed() && isValid(schema, value) && (encode !== asItIs || !/[%?#]/.test(value)),
    }));
    return [name, part] as const;
  });
  return fc.record(Object.fromEntries(all));
}

const asItIs = (text: string) => text;
const encodeAll = (text: string) => encodeURIComponent(text.toWellFormed());
const encodings = fc.constantFrom(
  encodeAll,
  (text: string) => text.split('/').map(encodeAll).join('/'),
  (text: string) => encodeAll(text).toLowerCase(),
  (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  asItIs,
);

/** Each parameter missing, once or twice, in any order, sometimes among others. */
function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<Part> {
  const all = parameters.map(({ name, schema, required }) =>
    fc.record({ values: repeated(textsOf(schema), required) }).map(({ values }) => ({
      sent: values.map((value) => `${name}=${encodeAll(value)}`),
      isAllowed: values.length === 0 ? !required : values.length === 1 && isValid(schema, values[0]),
    })),
  );
  const others = fc.constantFrom('', '$top=1', 'API-VERSION=1', '&&', '=', '%zz=%', 'filter=a%26b');
  return fc.record({ deps: fc.tuple(...all), others, isReversed: fc.boolean() }).map((drawn) => {
    const texts = [...drawn.deps.flatMap(({ sent }) => sent), drawn.others].filter((text) => text !== '');
    const sent = (drawn.isReversed ? texts.toReversed() : texts).join('&');
    return { sent, isAllowed: drawn.deps.every(({ isAllowed }) => isAllowed) };
  });
}

function repeated(value: fc.Arbitrary<string>, isRequired: boolean): fc.Arbitrary<string[]> {
  const [none, one] = isRequired ? [1, 12] : [6, 1];
  return fc.oneof(
    { weight: none, arbitrary: fc.constant<string[]>([]) },
    { weight: one, arbitrary: value.map((text) => [text]) },
    fc.array(value, { minLength: 2, maxLength: 3 }),
  );
}

function callerOf(token: string): fc.Arbitrary<Part> {
  const wrong = ['', 'Bearer', 'Bearer ', `Bearer ${token}x`, `Basic ${token}`, token, `Bearer ${token} ${token}`];
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(`Bearer ${token}`, `bearer ${token}`).map(allowed) },
    fc.constantFrom(...wrong).map(refused),
    fc.stringMatching(/^[!-~]{1,60}$/).map(refused),
  );
}

interface SentContent {
  readonly type: string;
  readonly body: Uint8Array;
}

function contentOf(document: OpenAPIDocument, { requestBody }: Operation): fc.Arbitrary<Part<SentContent>> {
  const schema = requestBody?.content['application/json'].schema;
  const isJson = (body: Uint8Array) =>
    schema === undefined || isValidJson({ ...schema, components: document.components }, body);
  const types = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('application/json', 'application/json; charset=utf-8').map(allowed) },
    fc.constantFrom('', 'text/plain', 'application/merge-patch+json', 'application/json; charset=latin1').map(refused),
  );
  return fc.record({ type: types, body: bodies }).map(({ type, body }) => ({
    sent: { type: type.sent, body },
    isAllowed: type.isAllowed && isJson(body),
  }));
}

const flags = fc.boolean().map((isActive) => ({ properties: { isActive } }));
const bodies: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: flags.map((value) => Buffer.from(JSON.stringify(value))) },
  flags.map((value) => Buffer.from(JSON.stringify(value, null, 2))),
  flags.chain(mutatedBytes),
  fc
    .constantFrom<unknown>(null, 0, 1, 'true', [], [true], {}, undefined)
    .map((isActive) => Buffer.from(JSON.stringify({ properties: { isActive } }))),
  fc
    .constantFrom(
      '',
      '{"properties":{"isActive":true,"isActive":false}}',
      '{"properties":{"isActive":true},"properties":{"isActive":false}}',
      `{"properties":{"isActive":false}}${' '.repeat(16_384)}`,
      `${'['.repeat(8000)}${']'.repeat(8000)}`,
    )
    .map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 200 }),
);

/** Texts that fit the schema, nearly fit it, and do not. */
function textsOf({ const: only, pattern }: Schema): fc.Arbitrary<string> {
  const fitting = typeof only === 'string' ? fc.constant(only) : fc.stringMatching(new RegExp(String(pattern)));
  const near = fitting.chain((text) =>
    fc.constantFrom(`${text}/`, `/${text}`, ` ${text}`, text.toUpperCase(), `${text}\0`),
  );
  const long = fc.integer({ min: 1020, max: 1030 }).map((length) => 'a'.repeat(length));
  return fc.oneof(
    { weight: 8, arbitrary: fitting },
    near,
    long,
    awkwardText.map((text) => text.slice(0, 2000)),
  );
}

const ajv = new Ajv2020({ allowUnionTypes: true, keywords: ['components', 'discriminator', 'example'] });

function isValid(schema: Schema, value: unknown): boolean {
  return ajv.validate(schema, value);
}

/** JSON in UTF-8 of the schema, within the limit, and with no member twice: it is what its value is written as. */
function isValidJson(schema: Schema, body: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const value: unknown = JSON.parse(text);
    const isPlain = text.replaceAll(/\s/g, '') === JSON.stringify(value);
    return body.length <= 16_384 && isPlain && isValid(schema, value);
  } catch {
    return false;
  }
}

const allowed = (sent: string): Part => ({ sent, isAllowed: true });
const refused = (sent: string): Part => ({ sent, isAllowed: false });
