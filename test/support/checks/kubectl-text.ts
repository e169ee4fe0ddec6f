// What kubectl shows of a custom resource: the rows of `kubectl get -A`, from the printer columns of the CRD, and the text of
// `kubectl describe` without its events.
import { readFile } from 'node:fs/promises';

import { parse } from 'yaml';

import { formatDuration } from '../../../src/lib/duration.ts';
import { isObject, type JsonObject } from '../../../src/lib/json-shape.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  /** Above 0: only with `-o wide`. */
  readonly priority?: number;
}

export interface PrintedObject {
  readonly metadata: { readonly namespace?: string | undefined; readonly name: string };
  readonly [member: string]: unknown;
}

export const printedPlurals = ['rolealertpolicies', 'rolealertconnections'] as const;
type Plural = (typeof printedPlurals)[number];

/** The printer columns of each CRD. */
export type Columns = { readonly [plural in Plural]: readonly PrinterColumn[] };

export async function readColumns(): Promise<Columns> {
  const columnsOf = async (plural: Plural): Promise<readonly PrinterColumn[]> => {
    const file = new URL(`../../../crds/rolealerts.dev_${plural}.yaml`, import.meta.url);
    return parse(await readFile(file, 'utf8')).spec.versions[0].additionalPrinterColumns;
  };
  return {
    rolealertpolicies: await columnsOf('rolealertpolicies'),
    rolealertconnections: await columnsOf('rolealertconnections'),
  };
}

/** One row without its heading: namespace, name and the columns, parted by two spaces. A column without a value is empty. */
export function getRow(columns: readonly PrinterColumn[], object: PrintedObject, nowMs: number): string {
  const { namespace = '', name } = object.metadata;
  const cells = columns
    .filter(({ priority = 0 }) => priority === 0)
    .map(({ type, jsonPath }) => {
      const value = valueAt(object, jsonPath);
      if (value === undefined) return '';
      return type === 'date' ? formatDuration(nowMs - Date.parse(textOf(value))) : textOf(value);
    });
  return [namespace, name, ...cells].join('  ');
}

const step = /\.([\w-]+)|\[([0-9]+)\]|\[\?\(@\.(\w+)=="(\w+)"\)\]/y;

/** The value at a path of the forms that printer columns use: `.a.b`, `.list[0].a` and `.list[?(@.type=="Ready")].a`. */
function valueAt(object: unknown, path: string): unknown {
  let value = object;
  step.lastIndex = 0;
  while (step.lastIndex < path.length) {
    const match = step.exec(path);
    if (!match) throw new Error(`not a path of a printer column: ${path}`);
    const [, member, index, key = '', wanted] = match;
    if (member !== undefined) value = isObject(value) ? value[member] : undefined;
    else value = itemOf(value, (item, at) => (index === undefined ? item[key] === wanted : at === Number(index)));
  }
  return value;
}

function itemOf(list: unknown, fits: (item: JsonObject, at: number) => boolean): unknown {
  return Array.isArray(list) ? list.find((item, at) => isObject(item) && fits(item, at)) : undefined;
}

/** One line for each value, indented as deep as it is nested, as kubectl prints unknown kinds. */
export function describeText({ metadata, ...rest }: PrintedObject): string {
  const { namespace = '', name } = metadata;
  return [`Name: ${name}`, `Namespace: ${namespace}`, ...linesOf(rest, '')].join('\n');
}

function linesOf(value: object, indent: string): string[] {
  return Object.entries(value).flatMap(([member, inner]: [string, unknown]) => {
    const label = `${indent}${heading(member)}:`;
    if (Array.isArray(inner)) return [label, ...inner.flatMap((item) => itemLines(item, `${indent}  `))];
    return isObject(inner) ? [label, ...linesOf(inner, `${indent}  `)] : [`${label} ${textOf(inner)}`];
  });
}

function itemLines(item: unknown, indent: string): string[] {
  return isObject(item) ? linesOf(item, indent) : [`${indent}${textOf(item)}`];
}

/** `lastTransitionTime` becomes `Last Transition Time`. */
function heading(member: string): string {
  if (member === 'apiVersion') return 'API Version';
  return member.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
