/** The saved views: their queries, and the results when the report was written. */
import { counted } from '../../../contract/words/counted.ts';
import type { ReportFacts } from '../facts.ts';
import type { ViewFacts } from '../view-facts.ts';
import { time, timeText } from '../figures.ts';
import { brief, markup, leftOut, list, paragraphs, table, type Html, type Piece } from '../html.ts';
import type { Section } from '../section.ts';
import { marksLegend, timeMarks } from '../time-marks.ts';
import { timelineChart } from '../timeline-chart.ts';

const MAX_CELL = 400;
/** Length of a word that is not broken. */
const MAX_WHOLE = 24;
const NUMBER = /^(-?\d+(\.\d+)?(e[+-]?\d+)?)?$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export function viewsSection({ views }: ReportFacts): Section {
  return {
    id: 'views',
    title: 'Saved views',
    body:
      views.shown.length === 0
        ? markup`<p>No view was saved in this case.</p>`
        : markup`<p>
              Each view was run again for this report. Queries use Daybook's query language
              (docs/query-language.md).
            </p>
            ${views.shown.map(viewBody)}
            ${views.left > 0 ? leftOut(markup`${counted(views.left, 'further view')} left out.`) : undefined}`,
  };
}

export function viewTitle({ search }: ViewFacts): string {
  return `Events of “${search.name}” over time`;
}

function viewBody(facts: ViewFacts): Html {
  const { search, view } = facts;
  const id = `view-${search.id}`;
  return markup`<section id="${id}">
    <h3>${search.name}</h3>
    ${search.note === '' ? undefined : markup`<div class="note"><p>${paragraphs(search.note)}</p></div>`}
    <code class="query">${view.query === '' ? '*' : view.query}</code>
    ${list([
      ['From', time(view.from, view.zone)],
      ['To (exclusive)', time(view.to, view.zone)],
      ['Zone', view.zone === 'UTC' ? undefined : view.zone],
      ['Events', facts.events === undefined ? undefined : counted(facts.events, 'event')],
    ])}
    ${facts.error === undefined ? answerBody(facts, `${id}-time`) : markup`<p class="warn">This view could not be run for this report: ${facts.error}</p>`}
  </section>`;
}

function answerBody(facts: ViewFacts, chart: string): Html {
  const { columns, rows, timeline } = facts;
  const cells = columns.map((_, i) => rows.every((row) => NUMBER.test(row[i] ?? '')));
  return markup` ${timeline.length === 0 ? undefined : timelineChart(chart, viewTitle(facts), timeline)}
  ${
    rows.length === 0
      ? undefined
      : table(
          facts.left > 0 ? `The first ${counted(rows.length, 'row')}.` : 'All rows.',
          columns.map((name, i) => ({ name, number: cells[i] ?? false })),
          rows.map((row, at) =>
            row.map((text, i) =>
              columns[i] === 'ts'
                ? markup`${cellBody(text)}${timeMarks(facts.basis[at] ?? 0)}`
                : cellBody(text),
            ),
          ),
        )
  }
  ${columns.includes('ts') ? marksLegend(facts.basis) : undefined}
  ${facts.left > 0 ? leftOut(markup`${counted(facts.left, 'further row')} left out.`) : undefined}
  ${facts.columnsLeft > 0 ? leftOut(markup`${counted(facts.columnsLeft, 'further column')} left out.`) : undefined}
  ${facts.notes.map((note) => markup`<p class="soft">${note}</p>`)}`;
}

/** Addresses, names and numbers stay whole; a text that is long gets room. */
function cellBody(text: string): Piece {
  if (TIME.test(text)) return timeText(text);
  if (text.length <= MAX_WHOLE && !text.includes(' '))
    return markup`<span class="whole">${text}</span>`;
  return markup`<span class="text">${brief(text, MAX_CELL)}</span>`;
}
