/** `daybook refield`: extracts fields from the messages of a case again. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { refieldCase } from '../../../engine/operations/case/fields/refield.ts';
import { rewriteMemoryOf } from '../../../engine/operations/system/settings.ts';
import type { Command } from '../command.ts';
import { count, write } from '../output.ts';

export const refieldCommand: Command = {
  spec: {
    name: 'refield',
    usage: 'CASE',
    summary:
      'Extracts fields from the messages of a case again, without the evidence, after extractors were added or changed.',
    positionals: { least: 1, most: 1 },
    options: {
      source: {
        type: 'string',
        value: 'SOURCE',
        help: 'only events of this source: its number, its name, or the end of its path',
      },
      json: { type: 'boolean', help: 'one JSON document' },
    },
    details:
      'Fields that sources state are never changed. It can be interrupted at any time; run again, it resumes where it stopped.',
  },
  async run(parsed, { streams, settings, signal }) {
    const report = await refieldCase({
      folder: parsed.positionals[0]!,
      source: parsed.text('source'),
      builder: {
        memoryLimit: rewriteMemoryOf(settings.queryMemory),
        threads: settings.threads,
      },
      signal,
    });
    if (parsed.flag('json')) {
      await write(streams.out, `${JSON.stringify(report)}\n`);
      return 0;
    }
    const { events, before, after, changed, left, segments } = report;
    const lines = [
      `${counted(events, 'event')} with a message: ${counted(after, 'has', 'have')} extracted fields, ${count(before)} before; ${count(changed)} changed`,
      ...(left > 0 ? [`unchanged: ${count(left)} whose records state fields themselves`] : []),
      `segments: ${segments.rewritten} rewritten, ${segments.unchanged} unchanged`,
    ];
    await write(streams.out, `${lines.join('\n')}\n`);
    return 0;
  },
};
