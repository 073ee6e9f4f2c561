/** `daybook delete`: deletes the events that a query finds, with a recorded reason. */
import { lookupFilesOf } from '../options/lookup-files.ts';
import { counted } from '../../../engine/contract/words/counted.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { deleteEvents } from '../../../engine/operations/marks/mark.ts';
import { TIME_OPTIONS, type Command } from '../command.ts';
import { LIST_OPTIONS, givenLists, listedIn, tellUnmatched } from '../options/list-option.ts';
import { packetsLeftOut, visible, write } from '../output.ts';
import { withCase } from '../with-case.ts';
import { givenRange } from '../options/time-range.ts';

export const deleteCommand: Command = {
  spec: {
    name: 'delete',
    usage: "CASE 'QUERY'",
    summary:
      'Deletes every event that a query finds. The audit log keeps the query, the number of events and the reason.',
    positionals: { least: 2, most: 2 },
    options: {
      reason: {
        type: 'string',
        value: 'TEXT',
        help: 'the reason; required, and kept in the audit log',
      },
      ...TIME_OPTIONS,
      ...LIST_OPTIONS,
      json: { type: 'boolean', help: 'one JSON document' },
    },
    details:
      'Deleted events are gone from every answer at once; `daybook compact` removes them from the files. The evidence is not touched.',
  },
  async run(parsed, { streams, settings, signal }) {
    const reason = parsed.text('reason');
    if (reason === undefined)
      throw new DaybookError(
        'usage',
        'no reason for the deletion was given',
        'give one with --reason TEXT; the audit log keeps it',
      );
    const lists = await givenLists(parsed, signal);
    const [folder, text] = parsed.positionals as [string, string];
    const lookups = await lookupFilesOf(text, signal);
    const view = { ...givenRange(parsed), ...lists, lookups };
    return withCase(folder, settings, async (session) => {
      await tellUnmatched(parsed, listedIn(session, { ...view, query: text }, signal), streams);
      const report = await deleteEvents({ session, text, reason, ...view, signal });
      await write(
        streams.out,
        parsed.flag('json')
          ? `${JSON.stringify(report)}\n`
          : `${counted(report.changed, 'event', 'events')} deleted\n`,
      );
      if (!parsed.flag('json')) {
        streams.err.write(packetsLeftOut(report.packetsBeneath));
        for (const note of report.notes ?? []) streams.err.write(`${visible(note)}\n`);
      }
      return 0;
    });
  },
};
