// Checks a response of the alerts service against its OpenAPI description: the operation of the request, the
// status, the media type, the headers that must be there, the body. Stricter than the letter of OpenAPI in two things:
// `default` covers errors only, and an error code has to be named in the description of its status.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

import {
  codesOf,
  type Header,
  type OpenAPIDocument,
  type Operation,
  type PathItem,
  resolved,
  type Response,
  type Schema,
} from './openapi-document.ts';

/** A request, as far as it decides the operation, and its response. */
export interface HttpCall {
  readonly method: string;
  /** As on the request line. */
  readonly target: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** The violations of the response; empty when there are none, or when the description does not have the path. */
export type ResponseCheck = (exchange: HttpCall) => readonly string[];

/** Compiles the schemas of `document` once, each when it is first needed. */
export function createResponseCheck(document: OpenAPIDocument): ResponseCheck {
  const validatorOf = validatorsOf(document);
  const headersOf = ({ headers = {} }: Response) =>
    Object.entries(headers).map(([name, header]) => ({ name, ...resolved(document, 'headers', header) }));
  const paths = Object.entries(document.paths).map(([template, item]) => ({
    pattern: patternOf(template),
    item,
  }));
  return (exchange) => {
    const path = exchange.target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/\?.*$/s, '');
    const found = paths.find(({ pattern }) => pattern.test(path));
    if (!found || exchange.method === 'OPTIONS') return [];
    const responses = responsesOf(found.item, exchange.method);
    const key = responses[exchange.status] ? String(exchange.status) : 'default';
    const described = responses[key];
    const isDescribed = key !== 'default' || exchange.status >= 400;
    if (!described || !isDescribed) return [`status ${exchange.status} is not described`];
    const response = resolved(document, 'responses', described);
    return [
      ...headerProblems(headersOf(response), exchange, validatorOf),
      ...bodyProblems(response, exchange, validatorOf),
    ];
  };
}

/** HEAD is answered like GET; a method that no operation has gets the errors of its neighbour, and never a success. */
function responsesOf(item: PathItem, method: string): Operation['responses'] {
  const own = Object.entries(item).find(([name]) => name === (method === 'HEAD' ? 'get' : method.toLowerCase()));
  if (own) return own[1].responses;
  const neighbours = Object.values(item).flatMap(({ responses }) => Object.entries(responses));
  return Object.fromEntries(neighbours.filter(([status]) => !status.startsWith('2')));
}

type ValidatorOf = (schema: Schema) => ValidateFunction;

function headerProblems(
  described: readonly (Header & { readonly name: string })[],
  { headers }: HttpCall,
  validatorOf: ValidatorOf,
): readonly string[] {
  return described.flatMap(({ name, required, schema }) => {
    const value = headers[name.toLowerCase()];
    if (value === undefined) return required ? [`header ${name} is missing`] : [];
    const text = String(value);
    const isNumber = schema['type'] === 'integer' && text !== '';
    return validatorOf(schema)(isNumber ? Number(text) : text) ? [] : [`header ${name} is ${JSON.stringify(value)}`];
  });
}

function bodyProblems(response: Response, exchange: HttpCall, validatorOf: ValidatorOf): readonly string[] {
  const { method, body, headers } = exchange;
  const media = response.content?.['application/json'];
  if (!media || method === 'HEAD') return body === '' ? [] : ['there is a body'];
  const type = String(headers['content-type']);
  if (!/^application\/json\s*(;|$)/.test(type)) return [`the content type is ${type}`];
  const value = parseJson(body);
  if (value === undefined) return ['the body is not JSON'];
  const validate = validatorOf(media.schema);
  if (validate(value)) return codeProblems(codesOf(response), value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function codeProblems(codes: readonly string[], value: unknown): readonly string[] {
  const code = (value as { error?: { code?: string } }).error?.code;
  const isNamed = code === undefined || codes.length === 0 || codes.includes(code);
  return isNamed ? [] : [`the code ${code} is not described for this status`];
}

/** A scope that is not encoded has slashes; an alertId has none. Case does not count. */
function patternOf(template: string): RegExp {
  const deps = template.split(/(\{[^}]*\})/).map((part) => {
    if (part === '{scope}') return '.+';
    return part.startsWith('{') ? '[^/]+' : RegExp.escape(part);
  });
  return new RegExp(`^${deps.join('')}$`, 'is');
}

function validatorsOf({ components }: OpenAPIDocument): ValidatorOf {
  const ajv = new Ajv2020({
    allErrors: true,
    allowUnionTypes: true,
    keywords: ['discriminator', 'example', 'components'],
    formats: { int32: true, 'date-time': true, uri: (text) => URL.canParse(text) },
  });
  const compiled = new Map<Schema, ValidateFunction>();
  return (schema) => {
    const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components });
    compiled.set(schema, validate);
    return validate;
  };
}

/** Undefined when `text` is not JSON; JSON itself has no undefined. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
