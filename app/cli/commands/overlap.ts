/** `daybook overlap`: lines that sources have in common, shown twice or once. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { changeOverlaps, listOverlaps } from '../../../engine/operations/case/overlap.ts';
import type { Command } from '../command.ts';
import { table, write } from '../output.ts';

export const overlapCommand: Command = {
  spec: {
    name: 'overlap',
    usage: 'CASE [NUMBER…]',
    summary:
      'Lists runs of lines that two sources have in common, as the import found them; leaves them out or shows them again.',
    positionals: { least: 1, most: Infinity },
    options: {
      'leave-out': {
        type: 'boolean',
        help: 'hide the events of the source that was imported later, so that each is counted once',
      },
      show: { type: 'boolean', help: 'show hidden events again' },
      json: { type: 'boolean', help: 'one JSON document' },
    },
    details: `NUMBER is a number in the list; without one, all overlaps are meant. Nothing is removed: the audit log
records the choice, and --show undoes it even after daybook compact. The evidence is not touched.`,
  },
  async run(parsed, { streams, settings }) {
    const [folder, ...numbers] = parsed.positionals as [string, ...string[]];
    const leaveOut = parsed.flag('leave-out');
    const show = parsed.flag('show');
    if (leaveOut && show) throw new DaybookError('usage', 'give --leave-out or --show, not both');
    const ids = numbers.map((text) => {
      if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
      throw new DaybookError(
        'usage',
        `${JSON.stringify(text)} is not the number of an overlap`,
        'list them with: daybook overlap CASE',
      );
    });
    if (!leaveOut && !show) {
      const found = listOverlaps(folder).filter(({ id }) => ids.length === 0 || ids.includes(id));
      if (parsed.flag('json')) await write(streams.out, `${JSON.stringify(found)}\n`);
      else if (found.length === 0) streams.err.write('no two sources have lines in common\n');
      else {
        const rows = found.map((one) => [
          one.id,
          one.source,
          one.other,
          one.records,
          one.from,
          one.to,
          one.superseded ? 'superseded' : '',
          one.leftOut ? 'left out' : 'shown',
        ]);
        const names = ['id', 'source', 'is in', 'lines', 'from byte', 'to byte', '', 'now'];
        await write(streams.out, table(names, rows, streams.out.columns));
      }
      return 0;
    }
    const events = await changeOverlaps({
      folder,
      ids: ids.length === 0 ? undefined : ids,
      leftOut: leaveOut,
      builder: { memoryLimit: settings.importMemory, threads: settings.threads },
    });
    await write(
      streams.out,
      parsed.flag('json')
        ? `${JSON.stringify({ events, leftOut: leaveOut })}\n`
        : `${counted(events, 'event', 'events')} ${leaveOut ? 'left out' : 'shown again'}\n`,
    );
    return 0;
  },
};
