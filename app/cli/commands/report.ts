/** `daybook report`: the case as one self-contained page. */
import { DaybookError } from '../../../engine/contract/errors.ts';
import { CLASSIFICATION_PAGES } from '../../../engine/contract/words/classification.ts';
import { resolveZone } from '../../../engine/contract/time/zone.ts';
import { writeReport } from '../../../engine/operations/report/write.ts';
import { VERSION } from '../../version.ts';
import { FORCE_OPTION, type Command } from '../command.ts';
import { size, visible, write } from '../output.ts';
import { withCase } from '../with-case.ts';

export const reportCommand: Command = {
  spec: {
    name: 'report',
    usage: 'CASE --out FILE.html',
    summary:
      'Writes the case as one HTML page: summary, findings (noted and tagged events), saved views; sources with hashes, quarantine and audit trail as appendices.',
    positionals: { least: 1, most: 1 },
    options: {
      out: { type: 'string', value: 'FILE', help: 'the file to write' },
      ...FORCE_OPTION,
      title: { type: 'string', value: 'TEXT', help: 'title of the report' },
      author: { type: 'string', value: 'NAME', help: 'author named in the report' },
      note: { type: 'string', value: 'TEXT', help: 'introduction below the title' },
      classification: {
        type: 'string',
        value: 'TEXT',
        help: 'classification, such as TLP:AMBER, printed at the top and the bottom of pages',
      },
      tz: { type: 'string', value: 'ZONE', help: 'zone of the times shown (default UTC)' },
      json: { type: 'boolean', help: 'one JSON document: path, bytes, sha256' },
    },
    details: `The page has no scripts and loads nothing; it can be printed. Classification: ${CLASSIFICATION_PAGES}
The SHA-256 of the page is recorded in the audit log of the case.`,
  },
  async run(parsed, { streams, settings, signal }) {
    const path = parsed.text('out');
    if (path === undefined)
      throw new DaybookError(
        'usage',
        'no file to write the report to was given',
        'name it with --out FILE.html',
      );
    return withCase(parsed.positionals[0]!, settings, async (session) => {
      const request = {
        title: parsed.text('title'),
        author: parsed.text('author'),
        note: parsed.text('note'),
        classification: parsed.text('classification'),
        zone: resolveZone(parsed.text('tz') ?? 'UTC').name,
        version: VERSION,
        generatedAt: new Date().toISOString(),
      };
      const written = await writeReport(session, request, {
        path,
        overwrite: parsed.flag('force'),
        send: async () => undefined,
        signal,
      });
      await write(
        streams.out,
        parsed.flag('json')
          ? `${JSON.stringify(written)}\n`
          : `${visible(written.path ?? path)}: ${size(written.bytes)}, SHA-256 ${written.sha256}\n`,
      );
      return 0;
    });
  },
};
