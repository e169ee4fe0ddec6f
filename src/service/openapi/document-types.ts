// The subset of OpenAPI 3.1 types that the description of this service uses.

/** JSON Schema of draft 2020-12, the dialect of OpenAPI 3.1. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: string;
}

export interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: Schema;
}

export interface MediaType {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

type Content = Readonly<Record<'application/json', MediaType>>;

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Content;
  readonly links?: Readonly<Record<string, object>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly { readonly $ref: string }[];
  readonly requestBody?: { readonly required: true; readonly description: string; readonly content: Content };
  /** By status, with `default`. */
  readonly responses: Readonly<Record<string, Response>>;
  /** Alternatives: each is sufficient. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export type PathItem = Readonly<Partial<Record<'get' | 'patch', Operation>>>;

export interface OpenAPIDocument {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}
