/** `daybook audit`: every recorded change of a case, in order, and whether the log matches its hashes. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { detailsText } from '../../../engine/operations/report/details.ts';
import { EXIT, type Command } from '../command.ts';
import { table, visible, write } from '../output.ts';
import { withCase } from '../with-case.ts';

export const auditCommand: Command = {
  spec: {
    name: 'audit',
    usage: 'CASE',
    summary: 'Lists every change of a case, in order: what was done, when, and by which account.',
    positionals: { least: 1, most: 1 },
    options: {
      last: { type: 'string', value: 'N', help: 'only the last N entries' },
      json: { type: 'boolean', help: 'one JSON document' },
    },
    details: `Each entry holds the hash of the one before it and of the tables of the case at that time. An entry or a table that
does not match its hash is named, and the exit status is 3. daybook verify checks everything else as well.`,
  },
  async run(parsed, { streams, settings }) {
    const last = parsed.whole('last', 1) ?? Infinity;
    return withCase(parsed.positionals[0]!, settings, async ({ catalog }) => {
      const all = catalog.audit.entries();
      const entries = all.slice(Math.max(0, all.length - last));
      const problems = catalog.audit.problems();
      if (parsed.flag('json'))
        await write(streams.out, `${JSON.stringify({ total: all.length, entries, problems })}\n`);
      else
        await write(
          streams.out,
          table(
            ['entry', 'when', 'account', 'what', 'details'],
            entries.map(({ id, at, user, operation, detail, intact }) => [
              ...[id, at, user, intact ? operation : `${operation} (HASH DIFFERS)`],
              detailsText(detail),
            ]),
            streams.out.columns,
          ),
        );
      for (const problem of problems) streams.err.write(`daybook: ${visible(problem)}\n`);
      if (problems.length === 0 && !parsed.flag('json'))
        streams.err.write(
          `${counted(all.length, 'entry', 'entries')}${entries.length < all.length ? `, of which the last ${entries.length} are shown` : ''}; all hashes match\n`,
        );
      return problems.length === 0 ? EXIT.done : EXIT.notAllRight;
    });
  },
};
