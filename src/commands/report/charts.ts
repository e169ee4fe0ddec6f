// The charts of a page: one bar of counts, each with its number in the legend.
import { markup, type Markup } from './markup.ts';

export interface Chart {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** From left to right. */
  readonly parts: readonly ChartPart[];
}

interface ChartPart {
  readonly name: string;
  readonly count: number;
  /** The class of the style sheet with its colour. */
  readonly colour: 'good' | 'idle' | 'high' | 'medium' | 'low';
}

// In units of the drawing, which a phone shows as pixels.
const width = 340;

/** Nothing without counts. */
export function chartMarkup({ id, title, parts }: Chart): Markup | undefined {
  const shown = parts.filter(({ count }) => count > 0);
  const total = shown.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return undefined;
  let left = 0;
  const bars = shown.map(({ count, colour }) => {
    const x = left;
    left += (count * width) / total;
    return markup`<rect class="${colour}" x="${x.toFixed(1)}" y="0" width="${(left - x).toFixed(1)}" height="14"/>`;
  });
  const legend = shown.map(
    ({ name, count, colour }, index) =>
      markup`<rect class="${colour}" x="${(index * width) / shown.length}" y="22" width="10" height="10"/><text x="${(index * width) / shown.length + 14}" y="31">${count} ${name}</text>`,
  );
  const sentence = shown.map(({ name, count }) => `${count} ${name}`).join(', ');
  return markup`<svg class="chart" role="img" viewBox="0 0 ${width} 36" aria-labelledby="${id}-title ${id}-description">
<title id="${id}-title">${title}</title><desc id="${id}-description">${sentence}.</desc>
${bars}${legend}</svg>
`;
}
