/** `daybook tag`: tags the events that a query finds. */
import { lookupFilesOf } from '../options/lookup-files.ts';
import { counted } from '../../../engine/contract/words/counted.ts';
import { tagEvents } from '../../../engine/operations/marks/mark.ts';
import { isClusterAddress } from '../../../engine/contract/cluster-address.ts';
import { TIME_OPTIONS, type Command } from '../command.ts';
import {
  LIST_OPTIONS,
  givenLists,
  listedIn,
  listedOn,
  tellUnmatched,
} from '../options/list-option.ts';
import { packetsLeftOut, visible, write } from '../output.ts';
import { withClusterSession } from '../on-cluster.ts';
import { withCase } from '../with-case.ts';
import { givenRange } from '../options/time-range.ts';

/** The reported result. */
type Told = Pick<Awaited<ReturnType<typeof tagEvents>>, 'matched' | 'changed'> &
  Partial<Pick<Awaited<ReturnType<typeof tagEvents>>, 'packetsBeneath' | 'notes'>>;

export const tagCommand: Command = {
  spec: {
    name: 'tag',
    usage: "CASE 'QUERY' NAME",
    summary: 'Tags every event that a query finds; tag:NAME finds them again.',
    positionals: { least: 3, most: 3 },
    options: {
      ...TIME_OPTIONS,
      ...LIST_OPTIONS,
      remove: { type: 'boolean', help: 'remove the tag instead' },
      json: { type: 'boolean', help: 'one JSON document' },
    },
  },
  async run(parsed, { streams, settings, signal }) {
    const [folder, text, name] = parsed.positionals as [string, string, string];
    const lists = await givenLists(parsed, signal);
    const lookups = await lookupFilesOf(text, signal);
    const view = { ...givenRange(parsed), ...lists, lookups };
    const remove = parsed.flag('remove');
    const tell = async (report: Told): Promise<number> => {
      const done = remove ? 'no longer tagged' : 'tagged';
      await write(
        streams.out,
        parsed.flag('json')
          ? `${JSON.stringify({ tag: name, ...report })}\n`
          : `${counted(report.matched, 'event matches', 'events match')}; ${counted(report.changed, 'is', 'are')} ${done} ${visible(name)}\n`,
      );
      if (!parsed.flag('json')) {
        streams.err.write(packetsLeftOut(report.packetsBeneath));
        for (const note of report.notes ?? []) streams.err.write(`${visible(note)}\n`);
      }
      return 0;
    };
    if (isClusterAddress(folder)) {
      const { tagOn } = await import('../../../engine/operations/cluster/marks/marks.ts');
      return withClusterSession(folder, signal, async (session) => {
        const target = { view: { ...view, query: text } };
        await tellUnmatched(parsed, listedOn(session, target.view), streams);
        return tell(await tagOn(session, { name, remove, target }));
      });
    }
    return withCase(folder, settings, async (session) => {
      await tellUnmatched(parsed, listedIn(session, { ...view, query: text }, signal), streams);
      return tell(await tagEvents({ session, text, name, remove, ...view, signal }));
    });
  },
};
