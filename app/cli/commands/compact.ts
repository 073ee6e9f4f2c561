/** `daybook compact`: merges small segments and removes deleted events from the files. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { compactCase } from '../../../engine/operations/case/compact.ts';
import type { Command } from '../command.ts';
import { write } from '../output.ts';

export const compactCommand: Command = {
  spec: {
    name: 'compact',
    usage: 'CASE',
    summary: 'Merges small segments, and removes deleted events from the files for good.',
    positionals: { least: 1, most: 1 },
    options: { json: { type: 'boolean', help: 'one JSON document' } },
  },
  async run(parsed, { streams, settings }) {
    const report = await compactCase(parsed.positionals[0]!, {
      memoryLimit: settings.importMemory,
      threads: settings.threads,
    });
    await write(
      streams.out,
      parsed.flag('json')
        ? `${JSON.stringify(report)}\n`
        : `${counted(report.before, 'segment')} became ${report.after}\n`,
    );
    return 0;
  },
};
