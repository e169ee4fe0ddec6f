// `npm run picture` plays the demo and draws the table at its end as deploy/demo.svg, for the README: readable on a light and on a dark page.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const command = 'npm run demo';
const { fontSize, lineHeight, charWidth, padding } = { fontSize: 14, lineHeight: 22, charWidth: 8.43, padding: 20 };

const style = `
  .page { fill: #ffffff; stroke: #d0d7de }
  text { font: ${fontSize}px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328 }
  .head { fill: #59636e }
  .True { fill: #1a7f37 }
  .False { fill: #cf222e }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; stroke: #3d444d }
    text { fill: #f0f6fc }
    .head { fill: #9198a1 }
    .True { fill: #3fb950 }
    .False { fill: #f85149 }
  }
`;

/** The table of a demo that was played with `--once`, without the times of the last events. */
export function tableOf(output: string): readonly string[] {
  const [, table = ''] = /\nThe policies at the end:\n([^]*?)\n\n/.exec(output) ?? [];
  if (table === '') throw new Error('the demo has shown no table');
  return table.split('\n').map((line) => line.replace(/\d\d:\d\d:\d\d (?=\w+$)/, '').trimEnd());
}

/** Each cell is at the place of its column, so that the columns are straight in any font. */
export function pictureOf(lines: readonly string[]): string {
  const [head = ''] = lines;
  const starts = [...head.matchAll(/\S+/g)].map(({ index }) => index);
  const cellsOf = (line: string) =>
    starts.map((from, column) => {
      const text = line.slice(from, starts[column + 1]).trim();
      const ofState = /^(True|False)$/.test(text) ? ` class="${text}"` : '';
      return `<tspan x="${Math.round(padding + from * charWidth)}"${ofState}>${escaped(text)}</tspan>`;
    });
  const shown = [`<tspan x="${padding}">$ ${command}</tspan>`, '', ...lines.map((line) => cellsOf(line).join(' '))];
  const width = Math.ceil(Math.max(...lines.map(({ length }) => length)) * charWidth) + 2 * padding;
  const height = shown.length * lineHeight + 2 * padding;
  const texts = shown.map((cells, row) => {
    const y = padding + row * lineHeight + fontSize + 2;
    return cells === '' ? '' : `<text y="${y}"${row < 3 ? ' class="head"' : ''}>${cells}</text>\n`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>The policies at the end of the demo</title>
<style>${style}</style>
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${texts.join('')}</svg>
`;
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

if (import.meta.main) {
  const output = execFileSync(process.execPath, ['src/main.ts', 'demo', '--once'], { cwd: root, encoding: 'utf8' });
  writeFileSync(`${root}deploy/demo.svg`, pictureOf(tableOf(output)));
  console.log('wrote deploy/demo.svg');
}
