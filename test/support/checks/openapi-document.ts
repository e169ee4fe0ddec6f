// The OpenAPI description of a service as an object, with the types of what the tests read.
import { openAPIText, type DescribedService } from '../../../src/service/openapi.ts';
import { serviceDefaults } from '../../../src/service/service-options.ts';

/** JSON Schema of draft 2020-12, the dialect of OpenAPI 3.1. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Header {
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Reference {
  readonly $ref: string;
}

type Content = Readonly<Record<'application/json', { readonly schema: Schema }>>;

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Content;
}

export interface Operation {
  readonly parameters: readonly Reference[];
  readonly requestBody?: { readonly content: Content };
  /** By status, with `default`. */
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export type PathItem = Readonly<Partial<Record<'get' | 'patch', Operation>>>;

interface Components {
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly headers: Readonly<Record<string, Header>>;
  readonly responses: Readonly<Record<string, Response>>;
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly securitySchemes: Readonly<Record<string, object>>;
}

export interface OpenAPIDocument {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Components;
}

/** The description of a service with the defaults and these values. */
export function openAPIDocument(values: Partial<DescribedService> = {}): OpenAPIDocument {
  const { providerNamespace, apiVersion } = serviceDefaults;
  const [serverURL, authURL] = ['http://service.test', 'http://service.test'];
  return JSON.parse(openAPIText({ serverURL, authURL, providerNamespace, apiVersion, ...values })) as OpenAPIDocument;
}

/** The component of this kind that a reference names; anything else as it is. */
export function resolved<Kind extends keyof Components>(
  { components }: OpenAPIDocument,
  kind: Kind,
  value: Components[Kind][string] | Reference,
): Components[Kind][string] {
  if (!('$ref' in value)) return value;
  const component = components[kind][String(value.$ref).slice(`#/components/${kind}/`.length)];
  if (!component) throw new Error(`The description has no ${String(value.$ref)}`);
  return component as Components[Kind][string];
}

/** The error codes that the description of a response names, in order. */
export function codesOf({ description }: Response): readonly string[] {
  return [...description.matchAll(/`(\w+)`: /g)].map(([, code = '']) => code);
}
