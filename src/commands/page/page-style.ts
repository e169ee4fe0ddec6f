// The style sheet of the pages: light, dark, print, and from the width of a phone. Every pair of colours has a contrast of 4.5 or more.

const light = `color-scheme: light; --ground: #ffffff; --text: #1f2328; --quiet: #57606a; --line: #d0d7de; --link: #0550ae; --box: #f6f8fa; --high: #b3261e; --medium: #8a5200; --low: #0b6580; --accent: #0550ae; --on-accent: #ffffff;`;
const dark = `color-scheme: dark; --ground: #0d1117; --text: #e6edf3; --quiet: #9da7b3; --line: #3d444d; --link: #79b8ff; --box: #161b22; --high: #ff8a80; --medium: #f2b155; --low: #6cc5e8; --accent: #79b8ff; --on-accent: #0d1117;`;

export const pageStyle = `
:root { ${light} font: 16px/1.5 system-ui, sans-serif; }
@media screen and (prefers-color-scheme: dark) { :root { ${dark} } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 0 1rem 3rem; max-width: 90rem; background: var(--ground); color: var(--text); overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 1rem 0 .25rem; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
p, dl { margin: .25rem 0; }
a { color: var(--link); }
nav ul, .findings, .history, .totals { list-style: none; margin: .5rem 0; padding: 0; display: flex; flex-wrap: wrap; gap: .5rem 1rem; }
.findings, .history { display: block; }
.findings li, .history li { margin: .25rem 0; }
.totals > div { background: var(--box); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; min-width: 9rem; }
.totals dt { color: var(--quiet); }
.totals dd { margin: 0; }
.totals dd:first-of-type { font-size: 1.5rem; line-height: 1.2; }
.quiet, .rest, caption { color: var(--quiet); }
.bad { color: var(--high); }
form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: .5rem 0; }
label { display: grid; }
input, select, button { font: inherit; padding: .25rem .5rem; min-height: 2.25rem; max-width: 100%; color: var(--text); background: var(--ground); border: 1px solid var(--quiet); border-radius: .25rem; }
code { background: var(--box); border: 1px solid var(--line); padding: 0 .25rem; }
search { display: block; margin-top: 1.5rem; }
.tree { margin: 0; padding-left: 1.25rem; }
#notice:not(:empty) { border-left: .25rem solid var(--high); padding: .5rem .75rem; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; background: var(--ground); padding: .5rem; z-index: 1; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.scroll { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; width: max-content; min-width: 100%; }
caption { text-align: left; padding: .25rem 0; max-width: calc(100vw - 2rem); }
th, td { max-width: 22rem; overflow-wrap: anywhere; text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 400; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.chart { display: block; width: 100%; max-width: 30rem; height: auto; margin: .5rem 0; font-size: 11px; }
.chart text { fill: var(--text); }
.chart .high { fill: var(--high); } .chart .medium { fill: var(--medium); } .chart .low { fill: var(--low); }
.chart .activated { fill: var(--low); } .chart .deactivated { fill: var(--high); }
.chart .day { fill: var(--box); stroke: var(--line); } .chart .busy { fill: var(--accent); stroke: var(--accent); }
.chart .today { stroke: var(--text); stroke-width: 2; }
.chart .count { fill: var(--on-accent); text-anchor: middle; font-size: 10px; }
@media screen and (min-width: 60rem) {
  table { width: 100%; }
  th, td { max-width: 30rem; overflow-wrap: break-word; }
}
@media print {
  body { max-width: none; font-size: 10pt; }
  nav, form, .skip { display: none; }
  .scroll { overflow: visible; }
  table { width: 100%; font-size: 8pt; }
  th, td { min-width: 5em; }
  thead th { overflow-wrap: break-word; }
  tr, article, .chart { break-inside: avoid-page; }
  h2, h3 { break-after: avoid-page; }
  .chart { print-color-adjust: exact; }
}
`;
