// A chart of horizontal bars, each a stack of counts. A table with the same numbers belongs beside it.
import { markup, type Markup } from './markup.ts';

export interface BarChart {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** What the chart shows, in a sentence, for those who do not see it. */
  readonly description: string;
  readonly series: readonly Series[];
  /** From top to bottom. */
  readonly bars: readonly Bar[];
}

export interface Series {
  readonly name: string;
  /** The class of the style sheet with its colour. */
  readonly colour: string;
}

export interface Bar {
  readonly label: string;
  /** In the order of the series. */
  readonly counts: readonly number[];
}

// In units of the drawing, which a phone shows as pixels.
const width = 340;
const longestBar = 290;
const barHeight = 14;
const rowHeight = 38;
const legendHeight = 24;
/** Characters of a label that fit. */
const labelLength = 52;

export function barChart({ id, title, description, series, bars }: BarChart): Markup {
  const height = legendHeight + bars.length * rowHeight;
  const largest = Math.max(1, ...bars.map(totalOf));
  return markup`<svg class="chart" role="img" viewBox="0 0 ${width} ${height}" aria-labelledby="${id}-title ${id}-description">
<title id="${id}-title">${title}</title><desc id="${id}-description">${description}</desc>
${series.map((each, index) => legendEntry(each, (index * width) / series.length))}
${bars.map((bar, index) => barRow(bar, { series, top: legendHeight + index * rowHeight, largest }))}</svg>
`;
}

function legendEntry({ name, colour }: Series, left: number): Markup {
  return markup`<rect class="${colour}" x="${left}" y="2" width="10" height="10"/><text x="${left + 14}" y="11">${name}</text>\n`;
}

interface Row {
  readonly series: readonly Series[];
  readonly top: number;
  /** The total of the longest bar. */
  readonly largest: number;
}

function barRow(bar: Bar, { series, top, largest }: Row): Markup {
  const scale = longestBar / largest;
  let left = 0;
  const parts = series.map(({ name, colour }, index) => {
    const count = bar.counts[index] ?? 0;
    const part = { left, width: count * scale };
    left += part.width;
    if (count === 0) return undefined;
    return markup`<rect class="${colour}" x="${rounded(part.left)}" y="${top + 17}" width="${rounded(part.width)}" height="${barHeight}"><title>${bar.label}: ${count} ${name}</title></rect>\n`;
  });
  return markup`<text x="0" y="${top + 12}">${shortened(bar.label)}</text>
${parts}<text x="${rounded(left + 5)}" y="${top + 28}">${totalOf(bar)}</text>
`;
}

function totalOf({ counts }: Bar): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Keeps the end, in which scopes differ. */
function shortened(label: string): string {
  return label.length <= labelLength ? label : `…${label.slice(1 - labelLength)}`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
