// A polymorphic object with a discriminator of which section 2 shows some values and not the others. Variants whose value
// is not shown cannot be told apart, so they are one schema, which also takes every variant that is yet to come. It stands
// beside the union with the discriminator and not in it: by OpenAPI 3.1 a value that is not mapped there is an error.
import type { Schema } from './document-types.ts';
import { ref } from './vocabulary.ts';

type Members = Readonly<Record<string, Schema>>;

export interface Variants {
  /** Name of the schema that is any of the variants. */
  readonly union: string;
  readonly discriminator: string;
  readonly description: string;
  /** Members that every variant has. */
  readonly common: Members;
  /** Value of the discriminator → the variant's own members. */
  readonly shown: Readonly<Record<string, Members>>;
  /** Members of the variants whose value is not shown. */
  readonly notShown: Members;
}

/** The schema of all variants, and those that it consists of, by name. */
export function alertVariants(variants: Variants): Record<string, Schema> {
  const { union, discriminator, description, shown } = variants;
  const values = Object.keys(shown);
  const [known, other] = [`Known${union}`, `Other${union}`];
  return {
    [union]: {
      description: `${description} Tolerate values of ${discriminator} that are not known.`,
      oneOf: [ref(known), ref(other)],
    },
    [known]: {
      description: `The variants whose ${discriminator} the specification shows.`,
      oneOf: values.map((value) => ref(`${value}Properties`)),
      discriminator: {
        propertyName: discriminator,
        mapping: Object.fromEntries(values.map((value) => [value, ref(`${value}Properties`)['$ref']])),
      },
    },
    ...Object.fromEntries(values.map((value) => [`${value}Properties`, shownVariant(variants, value)])),
    [other]: otherVariant(variants),
  };
}

function otherVariant({ discriminator, common, shown, notShown }: Variants): Schema {
  const type = { type: ['string', 'null'], not: { enum: Object.keys(shown) }, description: 'Names the variant.' };
  return {
    type: 'object',
    description: `The variants whose ${discriminator} the specification does not show in full, and those yet to come.`,
    properties: { [discriminator]: type, ...common, ...notShown },
  };
}

function shownVariant({ discriminator, common, shown }: Variants, value: string): Schema {
  return {
    type: 'object',
    required: [discriminator],
    properties: {
      [discriminator]: { type: 'string', const: value, description: 'Names the variant.' },
      ...common,
      ...shown[value],
    },
  };
}
