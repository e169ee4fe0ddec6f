// HTML and SVG from templates. Every value is escaped, unless a template made it.
import { cleanText } from '../../lib/clean-text.ts';

/** Text that is markup already. `markup` and `verbatim` make it. */
export interface Markup {
  readonly text: string;
}

export type MarkupValue = Markup | string | number | undefined | readonly MarkupValue[];

/** Values of objects of the cluster are cut to this number of UTF-16 units. */
const longestText = 4096;

/** A template: strings are escaped for text and for quoted attributes, arrays are joined, and undefined is left out. */
export function markup(parts: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  return made(parts.map((part, index) => part + (index < values.length ? render(values[index]) : '')).join(''));
}

/** Text of this program, such as a style sheet. Never text of an object, a request or a response. */
export function verbatim(text: string): Markup {
  return made(text);
}

function render(value: MarkupValue): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  return value instanceof MadeMarkup ? value.text : (value as readonly MarkupValue[]).map(render).join('');
}

/** A class, so that no object of JSON passes for markup. */
class MadeMarkup implements Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const made = (text: string): Markup => new MadeMarkup(text);

const entities: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };

/** Also removes control characters, and those that change the direction of the text around them. */
function escapeText(text: string): string {
  return cleanText(text, longestText).replace(/[&<>"']/g, (character) => `&${entities[character]};`);
}
