// The schema of a polymorphic object whose discriminator has defined and undefined values in section 2. Variants without a defined
// value cannot be distinguished, so one schema covers them and all future variants. It is separate from the union with the
// discriminator, because in OpenAPI 3.1 an unmapped value there is an error.
import type { Schema } from './document-types.ts';
import { ref } from './vocabulary.ts';

type Members = Readonly<Record<string, Schema>>;

export interface Variants {
  /** Name of the schema that accepts any variant. */
  readonly union: string;
  readonly discriminator: string;
  readonly description: string;
  /** Members that every variant has. */
  readonly common: Members;
  /** Value of the discriminator → the variant's own members. */
  readonly shown: Readonly<Record<string, Members>>;
  /** Members of the variants without a defined value. */
  readonly notShown: Members;
}

/** The schema of all variants, and the schemas of its parts, by name. */
export function alertVariants(variants: Variants): Record<string, Schema> {
  const { union, discriminator, description, shown } = variants;
  const values = Object.keys(shown);
  const [known, other] = [`Known${union}`, `Other${union}`];
  return {
    [union]: {
      description: `${description} Tolerate unknown values of ${discriminator}.`,
      oneOf: [ref(known), ref(other)],
    },
    [known]: {
      description: `The variants whose ${discriminator} the contract defines.`,
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
    description: `The variants whose ${discriminator} the contract does not define, and future ones.`,
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
