/** Events that people tagged or said something of, in order of time. */
import { counted } from '../../../contract/counted.ts';
import type { EventLine, ReportFacts } from '../facts.ts';
import { recorded, timeText } from '../figures.ts';
import { brief, markup, leftOut, paragraphs, table, type Html } from '../html.ts';
import { eventIdOf } from '../../event-rows.ts';
import type { Section } from '../section.ts';

const MAX_TEXT = 600;

export function markedSection({ tags, noted, notesOnGone, request }: ReportFacts): Section {
  const { zone } = request;
  const nothing = tags.shown.length + noted.shown.length + notesOnGone.length === 0;
  return {
    id: 'marked',
    title: 'Tagged and noted events',
    body: nothing
      ? markup`<p>No event has a tag or a note.</p>`
      : markup` ${tags.shown.map(
          ({ name, count, events }) =>
            markup`<h3>${name} <span class="badge">${counted(count, 'event')}</span></h3>
              ${lines(`Events tagged “${name}”, in order of time.`, events.shown, zone)}
              ${events.left > 0 ? leftOut(markup`${counted(events.left, 'further event')} left out; all but the first ${events.shown.length} in time.`) : undefined}`,
        )}
        ${tags.left > 0 ? leftOut(markup`${counted(tags.left, 'further tag')} left out.`) : undefined}
        ${
          noted.shown.length === 0
            ? undefined
            : markup`<h3>Events with a note and no tag</h3>
                ${lines('In order of time.', noted.shown, zone)}
                ${noted.left > 0 ? leftOut(markup`${counted(noted.left, 'further event')} left out.`) : undefined}`
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
        }`,
  };
}

function lines(caption: string, events: readonly EventLine[], zone: string): Html {
  return table(
    caption,
    [{ name: 'Time' }, { name: 'Event', code: true }, { name: 'Where' }, { name: 'What' }],
    events.map(({ event, time, kind, source, where, what, note }) => [
      time === '' ? 'no time' : timeText(time),
      markup`${event} <span class="badge">${kind}</span>`,
      markup`${brief(where, 200)}<br /><span class="soft">${brief(source, 160)}</span>`,
      markup`${brief(what, MAX_TEXT)}${note === undefined ? undefined : markup`<div class="note">${paragraphs(note.text)} <span class="soft">(${note.user}, ${recorded(note.at, zone)})</span></div>`}`,
    ]),
  );
}
