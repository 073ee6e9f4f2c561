/** `daybook fields`: which fields events have. */
import { CaseSession } from '../../../engine/search/index.ts';
import { caseFields } from '../../../engine/operations/fields.ts';
import type { Command } from '../command.ts';
import { table, write } from '../output.ts';

export const fieldsCommand: Command = {
  spec: {
    name: 'fields',
    usage: 'CASE',
    summary:
      'Lists the fields that events have, and how many events have each. Attributes keep the name their source gave them.',
    positionals: { least: 1, most: 1 },
    options: { json: { type: 'boolean', help: 'one JSON document' } },
  },
  async run(parsed, { streams, settings, signal }) {
    const session = CaseSession.open(parsed.positionals[0]!, {
      memoryLimit: settings.queryMemory,
      threads: settings.threads,
    });
    try {
      const fields = await caseFields(session, signal);
      if (parsed.flag('json')) {
        await write(streams.out, `${JSON.stringify(fields)}\n`);
      } else if (fields.length === 0) {
        streams.err.write('the case holds no events yet: daybook import CASE PATH…\n');
      } else {
        const rows = fields.map((one) => [
          one.field,
          one.attribute ? 'attribute' : 'field',
          one.events,
          one.kinds.join(', '),
        ]);
        await write(
          streams.out,
          table(['field', 'what', 'events', 'kinds'], rows, streams.out.columns),
        );
      }
      return 0;
    } finally {
      await session.close();
    }
  },
};
