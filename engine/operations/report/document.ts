/** The whole report as one self-contained page. Pure: the same facts give the same bytes. */
import { counted } from '../../contract/words/counted.ts';
import { createHash } from 'node:crypto';
import type { ReportFacts } from './facts.ts';
import { recorded } from './figures.ts';
import { Html, markup, list, paragraphs, plainText } from './html.ts';
import { pageMargins } from './page-margins.ts';
import type { Section } from './section.ts';
import { auditSection, deletionsSection } from './sections/audit.ts';
import { importsSection } from './sections/imports.ts';
import { manifestsSection } from './sections/manifests.ts';
import { findingsSection } from './sections/findings.ts';
import { methodSection } from './sections/method.ts';
import { quarantineSection } from './sections/quarantine.ts';
import { sourcesSection } from './sections/sources.ts';
import { allEventsTitle, summarySection } from './sections/summary.ts';
import { viewsSection, viewTitle } from './sections/views.ts';
import { STYLE } from './style.ts';
import { timelineFigures } from './timeline-chart.ts';

/** Nothing may run or be loaded; the only style sheet is identified by its hash. */
function policyOf(style: string): Html {
  return new Html(
    [
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
      "base-uri 'none'",
      "form-action 'none'",
    ].join('; '),
  );
}

/** The page in pieces, each of bounded size. */
export function* reportDocument(facts: ReportFacts): Generator<string> {
  const { request, info } = facts;
  const title = request.title ?? `Report on ${info.name}`;
  const style = STYLE + pageMargins(facts, title);
  const marking =
    request.classification === undefined
      ? undefined
      : markup`<p class="classification">${request.classification}</p>`;
  const parts = [
    ...[summarySection, findingsSection, viewsSection].map((section, i) => ({
      ...section(facts),
      no: String(i + 1),
    })),
    ...[
      sourcesSection,
      importsSection,
      manifestsSection,
      quarantineSection,
      deletionsSection,
      auditSection,
      figuresSection,
      methodSection,
    ].map((section, i) => ({ ...section(facts), no: `A.${String(i + 1)}` })),
  ];
  yield markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Daybook ${plainText(request.version)}">
<title>${plainText(title)}</title>
<style>${new Html(style)}</style>
</head>
<body>
${marking}
${header(facts, title)}
<nav aria-label="Contents"><p class="label">Contents</p>
<ol>${parts.map(
    ({ id, title: name, no }) =>
      markup`<li><a href="#${id}"><span class="no">${no}</span>${no.startsWith('A') ? 'Appendix: ' : ''}${name}</a></li>\n`,
  )}</ol></nav>
<main>
`.markup;
  for (const { id, title: name, body, no, startsPage } of parts) {
    yield markup`<section${startsPage === true ? markup` class="own-page"` : undefined} aria-labelledby="${id}"><h2 id="${id}"><span class="no">${no}</span>${no.startsWith('A') ? markup`<span class="soft">Appendix</span> ` : undefined}${name}</h2>
${body}</section>
`.markup;
  }
  yield markup`</main>
<footer>${title} · Daybook ${request.version} · ${recorded(request.generatedAt, request.zone)}</footer>
${marking}
</body>
</html>
`.markup;
}

function header({ request, info, account }: ReportFacts, title: string): Html {
  const note = request.note?.trim() ?? '';
  return markup`<header><p class="label">Daybook case report</p>
<h1>${title}</h1>
<p class="subtitle">${counted(info.events, 'event')} from ${counted(info.sources, 'source')}</p>
${list([
  ['Case', info.name],
  ['Case number', info.number],
  ['Examiner', info.examiner],
  ['Case folder', markup`<code>${info.case}</code>`],
  ['Author (as stated)', request.author],
  [
    'Written',
    markup`${recorded(request.generatedAt, request.zone)}, by the operating system account ${account}`,
  ],
  ['Times shown in', request.zone],
  ['Written with', `Daybook ${request.version}`],
])}
${note === '' ? undefined : markup`<div class="note"><p>${paragraphs(note)}</p></div>`}</header>`;
}

/** The drawings' numbers. */
function figuresSection({ info, timeline, views }: ReportFacts): Section {
  const drawn = views.shown.filter((view) => view.timeline.length > 0);
  return {
    id: 'figures',
    title: 'Data of the charts',
    body: markup` <p>
        Each interval begins at the time beside its number of events. All intervals of a chart have
        the same length, to within a microsecond; those without events are not listed.
      </p>
      ${timeline.length === 0 ? undefined : timelineFigures('all-events', allEventsTitle({ info }), timeline)}
      ${drawn.map((view) => timelineFigures(`view-${view.search.id}-time`, viewTitle(view), view.timeline))}`,
  };
}
