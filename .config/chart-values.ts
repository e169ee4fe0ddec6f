// The values of the chart, made from their schema.
import { readFile } from 'node:fs/promises';

import { stringify } from 'yaml';

export const chartValuesFile = 'deploy/helm/rolealerts/values.yaml';
const schemaFile = 'deploy/helm/rolealerts/values.schema.json';

/** One without a default, such as `global`, is no value that users set. */
interface ValueSchema {
  readonly description: string;
  readonly default?: unknown;
  /** Of a group of values. */
  readonly properties?: Readonly<Record<string, ValueSchema>>;
}

/** The text of values.yaml. `root` is the checkout. */
export async function chartValues(root: URL): Promise<string> {
  const heading = '# Made from values.schema.json by `npm run generate`. Change that file, never this one.\n';
  const schema = JSON.parse(await readFile(new URL(schemaFile, root), 'utf8')) as ValueSchema;
  return heading + textOf(schema, '');
}

function textOf({ properties = {} }: ValueSchema, indent: string): string {
  const texts = Object.entries(properties).map(([name, value]) => {
    const comment = value.description.replaceAll(/(?=.{121})(.{1,120}) /g, '$1\n').replaceAll(/^/gm, `${indent}# `);
    const start = `${indent === '' ? '\n' : ''}${comment}\n`;
    if (value.default !== undefined) {
      return start + stringify({ [name]: value.default }).replaceAll(/^(?=.)/gm, indent);
    }
    return value.properties ? `${start}${indent}${name}:\n${textOf(value, `${indent}  `)}` : '';
  });
  return texts.join('');
}
