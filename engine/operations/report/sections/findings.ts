/** Findings in the analyst's order: notes on events, and tags with their events. Each event is printed once. */
import { counted, nounOf } from '../../../contract/words/counted.ts';
import { SEVERITIES, severityRank, type Severity } from '../../../contract/findings.ts';
import { quoted } from '../../../query/index.ts';
import { eventIdOf } from '../../../search/index.ts';
import type { ReportFacts } from '../facts.ts';
import type { EventLine, FindingFacts, FindingsFacts, TagFacts } from '../finding-facts.ts';
import { recorded, timeText } from '../figures.ts';
import { brief, markup, leftOut, list, paragraphs, table, type Html, type Piece } from '../html.ts';
import type { Section } from '../section.ts';
import { marksLegend, timeMarks } from '../time-marks.ts';

const MAX_TEXT = 600;
/** Events printed elsewhere that a tag lists one by one. */
const MAX_ELSEWHERE = 40;
/** Findings in the table at the beginning, and characters of each note there. */
const MAX_LISTED = 50;
const MAX_LISTED_TEXT = 160;

/** How events are shown: time zone, and colours of tags. */
interface Style {
  readonly zone: string;
  readonly colors: ReadonlyMap<string, string>;
}

type NoteFacts = Extract<FindingFacts, { note: unknown }>;

export function findingsSection({ findings, info, request }: ReportFacts): Section {
  const style: Style = {
    zone: request.zone,
    colors: new Map(info.tags.map(({ name, color }) => [name, color])),
  };
  const { shown, notesLeft, tagsLeft } = findings;
  const events = shown.flatMap((one) => ('tag' in one ? one.tag.events.shown : (one.line ?? [])));
  const left = [
    ...(notesLeft > 0 ? [counted(notesLeft, 'further note')] : []),
    ...(tagsLeft > 0 ? [counted(tagsLeft, 'further tag')] : []),
  ];
  return {
    id: 'findings',
    title: 'Findings',
    startsPage: shown.length > 0,
    body:
      shown.length === 0
        ? markup`<p>No event of this case has a tag or a note.</p>`
        : markup`${shown.length > 1 ? overview(findings) : undefined}
        ${marksLegend(events.map(({ basis }) => basis))}
        ${notesTogether(shown).map((group) =>
          Array.isArray(group) ? notesBody(group, style) : tagBody(group, style),
        )}
        ${left.length > 0 ? leftOut(markup`${left.join(' and ')} left out.`) : undefined}`,
  };
}

/** Numbers of findings by severity, the most severe first: `2 critical, 1 not rated`. */
export function severityCounts(severities: FindingsFacts['severities']): string {
  const by = Map.groupBy(severities, (severity) => severity);
  return [...by]
    .sort(([a], [b]) => severityRank(b) - severityRank(a))
    .map(([severity, rated]) => `${rated.length} ${severity ?? 'not rated'}`)
    .join(', ');
}

function overview({ shown, severities, notesLeft, tagsLeft }: FindingsFacts): Html {
  const below = Math.max(0, shown.length - MAX_LISTED);
  const notPrinted = notesLeft + tagsLeft;
  const left = [
    ...(below > 0 ? [`${counted(below, 'further finding')} below`] : []),
    ...(notPrinted > 0 ? [`${counted(notPrinted, 'finding')} not printed`] : []),
  ];
  return markup`${table(
    `Findings in the order below: ${severityCounts(severities)}.`,
    [
      { name: 'No.', number: true },
      { name: 'Severity', word: true },
      { name: 'Finding' },
      { name: 'Events', number: true },
      { name: 'First' },
      { name: 'Last' },
    ],
    shown.slice(0, MAX_LISTED).map((one) => {
      const { place, severity } = one;
      const row = 'tag' in one ? listedTag(one.tag) : listedNote(one);
      return [
        place,
        severityBadge(severity),
        markup`<a href="#finding-${String(place)}">${row[0]}</a>`,
        ...row.slice(1),
      ];
    }),
  )}
  ${left.length > 0 ? leftOut(markup`${left.join(', ')}.`) : undefined}`;
}

function listedTag({ name, color, count, first, last }: TagFacts): Piece[] {
  const when = (time: string): Piece => (time === '' ? undefined : timeText(time));
  return [tagBadge(name, color), count, when(first), count < 2 ? undefined : when(last)];
}

function listedNote({ note, line }: NoteFacts): Piece[] {
  return [
    brief(note.text, MAX_LISTED_TEXT),
    line === undefined ? 0 : 1,
    line === undefined || line.time === '' ? undefined : timeText(line.time),
  ];
}

/** Consecutive notes share a table. */
function notesTogether(
  findings: readonly FindingFacts[],
): (NoteFacts[] | Exclude<FindingFacts, NoteFacts>)[] {
  const out: (NoteFacts[] | Exclude<FindingFacts, NoteFacts>)[] = [];
  for (const one of findings) {
    const last = out.at(-1);
    if ('tag' in one) out.push(one);
    else if (Array.isArray(last)) last.push(one);
    else out.push([one]);
  }
  return out;
}

function notesBody(notes: readonly NoteFacts[], style: Style): Html {
  return markup`<h3>Notes <span class="badge">${counted(notes.length, 'event')}</span></h3>
    ${table(
      'Events with a note.',
      COLUMNS,
      notes.map(({ place, severity, note, line }) => {
        const head = markup`<span id="finding-${String(place)}" class="no">${place}</span> ${severityBadge(severity)}`;
        if (line !== undefined) return lineCells(line, '', style, head);
        const said = markup`${noteText(note, style)}This event is no longer shown: it was deleted, or left out because another source has it, too.`;
        return [
          '',
          markup`<span class="whole">${eventIdOf(note)}</span>`,
          '',
          markup`${head}${said}`,
        ];
      }),
    )}`;
}

function tagBody({ place, severity, tag }: Exclude<FindingFacts, NoteFacts>, style: Style): Html {
  const { name, color, count, events, elsewhere, first, last } = tag;
  const { shown, left } = events;
  return markup`<h3 id="finding-${String(place)}"><span class="no">${place}</span>${tagBadge(name, color)} ${severityBadge(severity)} <span class="badge">${counted(count, 'event')}</span></h3>
    ${count === 0 ? markup`<p>No event with this tag is shown: each was deleted, or left out because another source has it, too.</p>` : undefined}
    ${list([
      ['First', first === '' ? undefined : timeText(first)],
      ['Last', last === '' || count < 2 ? undefined : timeText(last)],
    ])}
    ${
      elsewhere.length === 0
        ? undefined
        : markup`<p>${counted(elsewhere.length, 'event')} with this tag ${nounOf(elsewhere.length, 'is', 'are')} printed with another finding:
            ${elsewhere.slice(0, MAX_ELSEWHERE).map((event, i) => markup`${i > 0 ? ', ' : ''}<a href="#${anchor(event)}"><code>${event}</code></a>`)}${
              elsewhere.length > MAX_ELSEWHERE
                ? markup` and ${elsewhere.length - MAX_ELSEWHERE} more`
                : undefined
            }.</p>`
    }
    ${
      shown.length === 0
        ? undefined
        : table(
            left > 0
              ? `The first ${counted(shown.length, 'event')} in time${elsewhere.length > 0 ? ' that are not printed elsewhere' : ''}.`
              : 'In order of time.',
            COLUMNS,
            shown.map((line) => lineCells(line, name, style)),
          )
    }
    ${
      left > 0
        ? leftOut(
            markup`${counted(left, 'more event')} not printed; to list all: <code>daybook query CASE '${`kind:* tag:${quoted(name)}`}'</code>`,
          )
        : undefined
    }`;
}

const COLUMNS = [
  { name: 'Time' },
  { name: 'Event', code: true },
  { name: 'Where' },
  { name: 'What' },
];

/**
 * @param tag whose section it is in: only its other tags are named
 * @param head printed before the message
 */
function lineCells(line: EventLine, tag: string, style: Style, head?: Html): Piece[] {
  const { event, time, basis, kind, source, sourceId, where, what, note } = line;
  const others = line.tags.filter((name) => name !== tag);
  return [
    time === '' ? 'no time' : markup`${timeText(time)}${timeMarks(basis)}`,
    markup`<span class="whole" id="${anchor(event)}">${event}</span> <span class="badge">${kind}</span>`,
    markup`<span class="where">${where === '' ? undefined : markup`${brief(where, 200)}<br />`}<a class="soft" href="#source-${String(sourceId)}">${brief(source, 160)}</a></span>`,
    markup`${head}${note === undefined ? undefined : noteText(note, style)}${brief(what, MAX_TEXT)}${others.map((name) => markup` ${tagBadge(name, style.colors.get(name))}`)}`,
  ];
}

function noteText({ text, user, at }: NoteFacts['note'], { zone }: Style): Html {
  return markup`<div class="note">${paragraphs(text)} <span class="soft">(${user}, ${recorded(at, zone)})</span></div>`;
}

function severityBadge(severity: Severity | undefined): Html | undefined {
  if (severity === undefined) return undefined;
  return markup`<span class="badge severity severity-${String(SEVERITIES.indexOf(severity))}">${severity}</span>`;
}

function tagBadge(name: string, color: string | undefined): Html {
  return markup`<span class="badge tag${color === undefined ? undefined : ` tag-${color}`}">${name}</span>`;
}

/** An id such as 12:f345 is an anchor, too. */
function anchor(event: string): Html {
  return markup`event-${event.replace(':', '-')}`;
}
