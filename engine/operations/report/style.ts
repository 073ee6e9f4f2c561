/**
 * The style of the report: on screens of any width, and on paper (with page-margins.ts). Loads no font, image or
 * file.
 */
export const STYLE = `
:root { color-scheme: light; --ink: #1b1f24; --soft: #56606b; --rule: #c9cfd6; --faint: #eef1f4; --accent: #1f4a70; --warn: #8a3b12; }
* { box-sizing: border-box; }
html { background: #e9ecef; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 62rem; padding: 3.5rem 4rem 5rem; background: #fff; color: var(--ink);
  font: 16px/1.55 Charter, "Bitstream Charter", "Sitka Text", Cambria, "Liberation Serif", Georgia, serif; overflow-wrap: anywhere; }
h1, h2, h3, .label, th, caption, nav, dt, .chart text, .badge { font-family: "Helvetica Neue", Helvetica, "Liberation Sans", Arial, sans-serif; }
h1 { font-size: 2.1rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; font-weight: 600; }
h2 { font-size: 1.35rem; margin: 3.2rem 0 1rem; padding-top: .9rem; border-top: 2px solid var(--ink); font-weight: 600; }
h3 { font-size: 1.02rem; margin: 2.2rem 0 .6rem; font-weight: 600; }
h2 .no, h3 .no, nav .no { color: var(--soft); font-variant-numeric: tabular-nums; margin-right: .7em; font-weight: 500; }
p { margin: .6rem 0; max-width: 46rem; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 2px; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.label { text-transform: uppercase; letter-spacing: .12em; font-size: .72rem; color: var(--soft); margin: 0 0 1.4rem; }
.classification { text-align: center; font: 700 1.05rem "Helvetica Neue", Helvetica, "Liberation Sans", Arial, sans-serif; max-width: none; margin: 0 0 2rem; }
footer + .classification { margin: 2rem 0 0; }
.subtitle { font-size: 1.1rem; color: var(--soft); margin: 0 0 2rem; }
.note { border-left: 3px solid var(--rule); padding: .2rem 0 .2rem 1.1rem; margin: 1.4rem 0; }
td .note { margin: 0 0 .5rem; }
dl { display: grid; grid-template-columns: minmax(8rem, 13rem) 1fr; margin: 1rem 0; font-size: .93rem; border-top: 1px solid var(--rule); }
dt, dd { margin: 0; padding: .34rem 0; border-bottom: 1px solid var(--faint); }
dt { color: var(--soft); font-size: .84rem; padding-top: .42rem; padding-right: 1rem; }
nav ol { list-style: none; padding: 0; margin: .6rem 0; columns: 2; column-gap: 3rem; font-size: .93rem; }
nav li { padding: .16rem 0; break-inside: avoid; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
.scroll { overflow-x: auto; margin: 1rem 0 1.4rem; }
table { border-collapse: collapse; width: 100%; font-size: .84rem; line-height: 1.42; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-size: .8rem; color: var(--soft); padding: 0 0 .45rem; }
th { text-align: left; font-weight: 600; font-size: .76rem; color: var(--soft); border-bottom: 1px solid var(--ink); vertical-align: bottom; }
th, td { padding: .34rem .8rem .34rem 0; }
th { overflow-wrap: normal; }
td { vertical-align: top; border-bottom: 1px solid var(--faint); min-width: 4.2rem; }
tfoot td { border-top: 1px solid var(--ink); border-bottom: 0; font-weight: 600; }
.number { text-align: right; white-space: nowrap; }
th.number { white-space: normal; }
.code, code { font: .92em/1.4 ui-monospace, "SF Mono", "Cascadia Mono", "Liberation Mono", Consolas, monospace; }
td.code { font-size: .78rem; }
.hash { white-space: normal; word-break: break-all; }
.time, .whole { white-space: nowrap; }
td > .text { display: block; min-width: 11rem; }
.where { display: block; min-width: 9rem; }
.control { color: var(--warn); background: #fbefe6; border-radius: 2px; padding: 0 1px; font-family: ui-monospace, "Liberation Mono", monospace; font-size: .88em; }
.cut, .left-out, .soft { color: var(--soft); }
.left-out { font-style: italic; font-size: .92rem; }
.badge { display: inline-block; font-size: .7rem; border: 1px solid var(--rule); border-radius: 3px; padding: 0 .35rem; color: var(--soft); white-space: nowrap; }
h3 .badge.tag { font-size: .95rem; }
.badge.tag { border-left: 5px solid var(--rule); color: var(--ink); white-space: normal; }
.badge.tag-blue { border-color: #1f62c9; } .badge.tag-amber { border-color: #b97a00; }
.badge.tag-green { border-color: #1d7a54; } .badge.tag-pink { border-color: #b3478d; }
.badge.tag-cyan { border-color: #1289a8; } .badge.tag-red { border-color: #c4421c; }
.badge.tag-yellow { border-color: #8f8000; } .badge.tag-violet { border-color: #6d3fc9; }
.badge.severity { text-transform: uppercase; letter-spacing: .04em; font-weight: 600; color: var(--ink); }
.badge.severity-2 { border-color: #8a6a00; color: #6b5200; }
.badge.severity-3 { border-color: var(--warn); color: var(--warn); }
.badge.severity-4 { border-color: #8c1d18; background: #8c1d18; color: #fff; }
td .no { color: var(--soft); margin-right: .4em; }
.warn { color: var(--warn); }
.sum { font-size: .9rem; font-variant-numeric: tabular-nums; }
.query { background: var(--faint); padding: .5rem .8rem; margin: .7rem 0; border-radius: 3px; white-space: pre-wrap; display: block; }
.below td { font-size: .76rem; color: var(--soft); padding-top: 0; }
tbody:has(.below) tr:first-child td { border-bottom: 0; padding-bottom: .05rem; }
.basis { color: var(--warn); font-family: "Helvetica Neue", Helvetica, "Liberation Sans", Arial, sans-serif; font-size: .72em; font-weight: 600; white-space: nowrap; }
.legend { font-size: .84rem; color: var(--soft); }
figure { margin: 1rem 0 1.2rem; }
figcaption { font-size: .82rem; color: var(--soft); margin-top: .3rem; }
.chart { width: 100%; height: auto; display: block; }
.chart text { font-size: 11px; fill: #56606b; }
.chart .bar { fill: #35628a; }
.chart .grid { stroke: #e3e7eb; }
.chart .axis { stroke: #7b858f; }
.figures { columns: 4 11rem; column-gap: 1.6rem; list-style: none; padding: 0; margin: .6rem 0 1.4rem; font-size: .74rem; font-variant-numeric: tabular-nums; }
.figures li { display: flex; justify-content: space-between; gap: .6rem; border-bottom: 1px solid var(--faint); padding: .1rem 0; break-inside: avoid; }
footer { margin-top: 4rem; border-top: 1px solid var(--rule); padding-top: .8rem; font-size: .82rem; color: var(--soft); }
@media screen and (max-width: 46rem) {
  body { padding: 1.6rem 1.1rem 3rem; font-size: 15px; }
  h1 { font-size: 1.6rem; }
  nav ol { columns: 1; }
  dl { grid-template-columns: 1fr; }
  dt { padding-bottom: 0; border-bottom: 0; }
  dd { padding-top: 0; }
  table { min-width: 36rem; }
}
@media print {
  html { background: #fff; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  h1 { font-size: 22pt; }
  h2 { font-size: 14pt; margin-top: 20pt; }
  .own-page { break-before: page; }
  .own-page h2 { margin-top: 0; }
  h3 { font-size: 10.5pt; }
  h2, h3, caption, .chart { break-after: avoid; }
  table { font-size: 8pt; }
  td { min-width: 0; }
  td > .text { min-width: 3rem; }
  .sum { font-size: 1em; }
  .wide { font-size: 6.4pt; }
  th, dt, figcaption, caption { font-size: 7.6pt; }
  .wide th { font-size: 6.4pt; }
  dl, nav ol { font-size: 9pt; }
  .label { font-size: 7pt; }
  .subtitle { font-size: 11pt; }
  .badge { font-size: 6.6pt; }
  tbody:has(.below) { break-inside: avoid; }
  .below td { font-size: 6.4pt; line-height: 1.3; }
  .legend { font-size: 8pt; }
  th, td { padding-right: .5rem; }
  td.code { font-size: 7.4pt; }
  thead { display: table-header-group; }
  /* The sum of a table is printed once, at its end. */
  tfoot { display: table-row-group; }
  tr:has(+ .below) td { padding-top: .18rem; }
  .below td { padding-bottom: .18rem; }
  .where { min-width: 32mm; }
  tr, figure, dt, dd { break-inside: avoid; }
  .scroll { overflow: visible; }
  a { color: inherit; text-decoration: none; }
  .figures { columns: 4; font-size: 6.8pt; }
  .control, .query, .severity { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .chart .bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
