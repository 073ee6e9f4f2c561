/** `daybook describe`: the number of a case and its examiner, for its report. */
import { describeCase, descriptionOf } from '../../../engine/operations/case/describe.ts';
import type { Command } from '../command.ts';
import { visible, write } from '../output.ts';
import { withCase } from '../with-case.ts';

export const describeCommand: Command = {
  spec: {
    name: 'describe',
    usage: 'CASE',
    summary: 'Shows or sets the number and the examiner of a case; its report names both.',
    positionals: { least: 1, most: 1 },
    options: {
      number: {
        type: 'string',
        value: 'TEXT',
        help: "number of the case at the investigating office; '' removes it",
      },
      examiner: { type: 'string', value: 'NAME', help: "name of the examiner; '' removes it" },
      json: { type: 'boolean', help: 'one JSON document' },
    },
    details: 'Each change is in the audit log.',
  },
  async run(parsed, { streams, settings }) {
    return withCase(parsed.positionals[0]!, settings, async (session) => {
      const [number, examiner] = [parsed.text('number'), parsed.text('examiner')];
      if (number !== undefined || examiner !== undefined)
        describeCase(session, { number, examiner });
      const now = descriptionOf(session.catalog);
      await write(
        streams.out,
        parsed.flag('json')
          ? `${JSON.stringify(now)}\n`
          : `number:   ${visible(now.number ?? '-')}\nexaminer: ${visible(now.examiner ?? '-')}\n`,
      );
      return 0;
    });
  },
};
