/** What people found: events with a note, then those of each tag. Each event is printed once. */
import { counted, nounOf } from '../../../contract/counted.ts';
import { quoted } from '../../event/event-query.ts';
import { eventIdOf } from '../../../search/index.ts';
import type { EventLine, ReportFacts, TagFacts } from '../facts.ts';
import { recorded, timeText } from '../figures.ts';
import { brief, markup, leftOut, list, paragraphs, table, type Html } from '../html.ts';
import type { Section } from '../section.ts';
import { marksLegend, timeMarks } from '../time-marks.ts';

const MAX_TEXT = 600;
/** Events printed above that a tag names one by one. */
const MAX_ABOVE = 40;

export function findingsSection({ tags, noted, notesOnGone, request }: ReportFacts): Section {
  const { zone } = request;
  const nothing = tags.shown.length + noted.shown.length + notesOnGone.length === 0;
  const events = [...noted.shown, ...tags.shown.flatMap((tag) => tag.events.shown)];
  return {
    id: 'findings',
    title: 'Findings',
    ownPage: !nothing,
    body: nothing
      ? markup`<p>No event of this case has a tag or a note.</p>`
      : markup`${marksLegend(events.map(({ basis }) => basis))}
        ${
          noted.shown.length === 0
            ? undefined
            : markup`<h3>Notes <span class="badge">${counted(noted.shown.length + noted.left, 'event')}</span></h3>
                ${lines('Events with a note, in order of time.', noted.shown, '', zone)}
                ${noted.left > 0 ? leftOut(markup`${counted(noted.left, 'further note')} left out.`) : undefined}`
        }
        ${
          notesOnGone.length === 0
            ? undefined
            : markup`<h3>Notes on events that were deleted</h3>
                ${table(
                  'The notes remain.',
                  [{ name: 'Event', code: true }, { name: 'Note' }, { name: 'Written' }],
                  notesOnGone.map((note) => [
                    eventIdOf(note),
                    paragraphs(note.text),
                    markup`${note.user}, ${recorded(note.at, zone)}`,
                  ]),
                )}`
        }
        ${tags.shown.map((tag) => tagBody(tag, zone))}
        ${tags.left > 0 ? leftOut(markup`${counted(tags.left, 'further tag')} left out.`) : undefined}`,
  };
}

function tagBody(tag: TagFacts, zone: string): Html {
  const { name, count, events, above, first, last } = tag;
  const { shown, left } = events;
  return markup`<h3>${name} <span class="badge">${counted(count, 'event')}</span></h3>
    ${count === 0 ? markup`<p>Every event with this tag was deleted.</p>` : undefined}
    ${list([
      ['First', first === '' ? undefined : timeText(first)],
      ['Last', last === '' || count < 2 ? undefined : timeText(last)],
    ])}
    ${
      above.length === 0
        ? undefined
        : markup`<p>${counted(above.length, 'event')} with this tag ${nounOf(above.length, 'is', 'are')} printed above:
            ${above.slice(0, MAX_ABOVE).map((event, i) => markup`${i > 0 ? ', ' : ''}<a href="#${anchor(event)}"><code>${event}</code></a>`)}${
              above.length > MAX_ABOVE ? markup` and ${above.length - MAX_ABOVE} more` : undefined
            }.</p>`
    }
    ${shown.length === 0 ? undefined : lines(left > 0 ? `The first ${counted(shown.length, 'event')} in time${above.length > 0 ? ' that are not printed above' : ''}.` : 'In order of time.', shown, name, zone)}
    ${
      left > 0
        ? leftOut(
            markup`${counted(left, 'further event')} not printed. All of them: <code>daybook query CASE '${`kind:* tag:${quoted(name)}`}'</code>`,
          )
        : undefined
    }`;
}

/** @param tag under which they are printed: the others are named with each event */
function lines(caption: string, events: readonly EventLine[], tag: string, zone: string): Html {
  return table(
    caption,
    [{ name: 'Time' }, { name: 'Event', code: true }, { name: 'Where' }, { name: 'What' }],
    events.map((line) => {
      const { event, time, basis, kind, source, sourceId, where, what, note } = line;
      const others = line.tags.filter((name) => name !== tag);
      return [
        time === '' ? 'no time' : markup`${timeText(time)}${timeMarks(basis)}`,
        markup`<span class="whole" id="${anchor(event)}">${event}</span> <span class="badge">${kind}</span>`,
        markup`<span class="where">${where === '' ? undefined : markup`${brief(where, 200)}<br />`}<a class="soft" href="#source-${String(sourceId)}">${brief(source, 160)}</a></span>`,
        markup`${note === undefined ? undefined : markup`<div class="note">${paragraphs(note.text)} <span class="soft">(${note.user}, ${recorded(note.at, zone)})</span></div>`}${brief(what, MAX_TEXT)}${others.map((name) => markup` <span class="badge tag">${name}</span>`)}`,
      ];
    }),
  );
}

/** An id such as 12:f345 is an anchor, too. */
function anchor(event: string): Html {
  return markup`event-${event.replace(':', '-')}`;
}
