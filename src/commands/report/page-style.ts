// The style sheet of the pages: light, dark, print, and from the width of a phone. Every pair of colours has a contrast of 4.5 or more.

const light = `color-scheme: light; --ground: #ffffff; --text: #1f2328; --quiet: #57606a; --line: #d0d7de; --link: #0550ae; --high: #b3261e; --medium: #8a5200; --low: #0b6580; --good: #1a7f37; --accent: #0550ae;`;
const dark = `color-scheme: dark; --ground: #0d1117; --text: #e6edf3; --quiet: #9da7b3; --line: #3d444d; --link: #79b8ff; --high: #ff8a80; --medium: #f2b155; --low: #6cc5e8; --good: #57ab5a; --accent: #79b8ff;`;

export const pageStyle = `
:root { ${light} font: 16px/1.5 system-ui, sans-serif; }
@media screen and (prefers-color-scheme: dark) { :root { ${dark} } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 0 1rem 3rem; max-width: 90rem; background: var(--ground); color: var(--text); overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 1rem 0 .25rem; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; }
a { color: var(--link); }
nav ul { list-style: none; margin: .5rem 0; padding: 0; display: flex; flex-wrap: wrap; gap: .5rem 1rem; }
.quiet, thead { color: var(--quiet); }
form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: .5rem 0; }
label { display: grid; }
input, select, button { font: inherit; padding: .25rem .5rem; min-height: 2.25rem; max-width: 100%; color: var(--text); background: var(--ground); border: 1px solid var(--quiet); border-radius: .25rem; }
search { display: block; margin-top: 1.5rem; }
#notice:not(:empty) { border-left: .25rem solid var(--high); padding: .5rem .75rem; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; background: var(--ground); padding: .5rem; z-index: 1; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
summary { cursor: pointer; color: var(--link); padding: .25rem 0; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { min-width: 5.5rem; max-width: 30rem; overflow-wrap: anywhere; text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
thead th { overflow-wrap: break-word; }
tbody th { font-weight: 400; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.chart { display: block; width: 100%; max-width: 30rem; height: auto; margin: .5rem 0; font-size: 11px; }
.chart text { fill: var(--text); }
.chart .good { fill: var(--good); } .chart .idle { fill: var(--quiet); }
.chart .high { fill: var(--high); } .chart .medium { fill: var(--medium); } .chart .low { fill: var(--low); }
@media screen and (max-width: 60rem) {
  table, tbody, tr { display: block; }
  thead, td:empty { display: none; }
  tr { padding: .25rem 0; border-bottom: 1px solid var(--line); }
  th, td { display: inline-block; min-width: 0; max-width: 100%; padding: 0 1rem 0 0; border: 0; }
  td::before { content: attr(data-column) " "; color: var(--quiet); }
}
@media print {
  body { max-width: none; font-size: 10pt; }
  nav, form, .skip { display: none; }
  table { font-size: 8pt; }
  th, td { min-width: 5em; }
  tr, .chart { break-inside: avoid-page; }
  h2 { break-after: avoid-page; }
  .chart { print-color-adjust: exact; }
}
`;
