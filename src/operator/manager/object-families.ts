// The text of metrics that are computed from objects at a scrape and kept nowhere: they cost a reconcile nothing, and their series end
// with the objects. The text comes in parts. prom-client would build objects and one text for all series, which took 180 MiB for
// 10,000 policies.
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';

/** The objects of one scrape. */
export interface ServedObjects {
  readonly policies: readonly RoleAlertPolicy[];
  readonly connections: readonly AnyConnection[];
}

export interface LabelledValue {
  /** In the order of the names of the family. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A gauge, and its series. */
export interface ObjectFamily {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Yields each combination of labels at most once. */
  readonly samples: (objects: ServedObjects) => Iterable<LabelledValue>;
}

const partLength = 65_536;

/** Parts of about 64 Ki characters, each of whole lines. */
export function* renderFamilies(families: readonly ObjectFamily[], objects: ServedObjects): Iterable<string> {
  let part = '';
  for (const { name, help, samples } of families) {
    part += `# HELP ${name} ${help}\n# TYPE ${name} gauge\n`;
    for (const { labels, value } of samples(objects)) {
      part += `${name}{${renderLabels(labels)}} ${value}\n`;
      if (part.length < partLength) continue;
      yield part;
      part = '';
    }
  }
  yield part;
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  let text = '';
  for (const name of Object.keys(labels))
    text += `${text === '' ? '' : ','}${name}="${escapeLabel(labels[name] ?? '')}"`;
  return text;
}

function escapeLabel(text: string): string {
  return /[\\"\n]/.test(text)
    ? text
        .replaceAll('\\', String.raw`\\`)
        .replaceAll('\n', String.raw`\n`)
        .replaceAll('"', String.raw`\"`)
    : text;
}
