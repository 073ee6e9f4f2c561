/** The parts of `daybook fields` about extractors: `--add`, `--remove`, `--extractors`, `--test`. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import {
  addExtractor,
  extractorsOf,
  removeExtractor,
  testedExtractor,
} from '../../../engine/operations/case/fields/own-extractors.ts';
import { startScan } from '../../../engine/operations/scan/scan.ts';
import { readGiven } from '../../given-file.ts';
import { scanTools } from '../../scan-tools.ts';
import type { Parsed } from '../arguments.ts';
import type { CommandContext } from '../command.ts';
import { table, visible, write } from '../output.ts';

export const EXTRACTOR_OPTIONS = {
  extractors: {
    type: 'boolean',
    help: 'list the extractors instead, those of the case first',
  },
  add: {
    type: 'string',
    value: 'FILE',
    help: 'add the extractor in FILE to the case (docs/extractors.md)',
  },
  remove: { type: 'string', value: 'NAME', help: 'remove an extractor of the case' },
  test: {
    type: 'string',
    value: 'FILE',
    help: 'try the extractor in FILE on its samples, and on the lines of a log named in place of the case',
  },
} as const;

/** Number of lines that are shown with the fields cut out of them. */
const MOST_SHOWN = 20;
const MOST_BYTES = 4 << 20;

/** @returns the exit status; undefined if the command is not about extractors */
export async function aboutExtractors(
  parsed: Parsed,
  context: CommandContext,
): Promise<number | undefined> {
  const [folder] = parsed.positionals;
  const asked = (['add', 'remove', 'test'] as const).filter(
    (name) => parsed.text(name) !== undefined,
  );
  if (parsed.flag('extractors')) return list(parsed, context, folder);
  const [wanted, more] = asked;
  if (wanted === undefined) return undefined;
  if (more !== undefined) throw new DaybookError('usage', `give --${wanted} or --${more}`);
  if (wanted === 'test') return test(parsed, context, folder);
  if (folder === undefined)
    throw new DaybookError('usage', 'name a case', `daybook fields CASE --${wanted} …`);
  return change(wanted, parsed, context, folder);
}

async function list(
  parsed: Parsed,
  { streams }: CommandContext,
  folder: string | undefined,
): Promise<number> {
  const all = extractorsOf(folder);
  const rows = all.map((one) => [
    `${one.name}/${one.version}`,
    one.sha256 === undefined ? 'Daybook' : `this case, sha256 ${one.sha256.slice(0, 12)}…`,
    one.title,
    one.fields.join(', '),
  ]);
  await write(
    streams.out,
    parsed.flag('json')
      ? `${JSON.stringify(all)}\n`
      : table(['extractor', 'of', 'for', 'fields'], rows, streams.out.columns),
  );
  return 0;
}

async function change(
  action: 'add' | 'remove',
  parsed: Parsed,
  { streams, settings, signal }: CommandContext,
  folder: string,
): Promise<number> {
  const builder = { memoryLimit: settings.importMemory, threads: settings.threads };
  const text = parsed.text(action)!;
  if (action === 'remove') await removeExtractor(folder, text, builder);
  const added =
    action === 'add'
      ? await addExtractor(folder, await read(text, signal), text, builder)
      : undefined;
  if (parsed.flag('json'))
    await write(streams.out, `${JSON.stringify(added ?? { removed: text })}\n`);
  else {
    const again = 'to apply it to events already in the case: daybook refield CASE';
    const replaced = added?.replaces === undefined ? '' : ` in place of version ${added.replaces}`;
    const said =
      added === undefined
        ? `removed ${text}; ${again}`
        : `added ${added.name}/${added.version}${replaced}; imports use it from now on; ${again}`;
    await write(streams.out, `${visible(said)}\n`);
  }
  return 0;
}

async function read(path: string, signal: AbortSignal): Promise<string> {
  const bytes = await readGiven(path, {
    role: 'the extractor',
    mostBytes: MOST_BYTES,
    advice: 'split it into several extractors',
    signal,
  });
  return Buffer.from(bytes).toString('utf8');
}

async function test(
  parsed: Parsed,
  { streams, settings, signal }: CommandContext,
  log: string | undefined,
): Promise<number> {
  const file = parsed.text('test')!;
  const document = await read(file, signal);
  const { mark, fields, samples, wrong } = testedExtractor(document, file);
  const lines: { line: string; fields: Record<string, unknown> }[] = [];
  let events = 0;
  let fit = 0;
  if (log !== undefined) {
    const running = startScan(
      {
        path: log,
        text: `* | fields message, extractor${fields.map((name) => `, ${name}`).join('')}`,
        ...{ from: undefined, to: undefined, zone: 'UTC', limit: undefined, signal },
        ...{ format: undefined, timeZone: undefined, year: undefined, mapping: undefined },
        ...{ standardInput: process.stdin, threads: settings.threads, extractors: [document] },
        onProgress: () => undefined,
      },
      scanTools,
    );
    for await (const records of running.rows())
      for (const { message, extractor, ...values } of records) {
        events += 1;
        if (extractor !== mark) continue;
        fit += 1;
        if (lines.length < MOST_SHOWN)
          lines.push({
            line: typeof message === 'string' ? message : '',
            fields: withoutNone(values),
          });
      }
  }
  if (parsed.flag('json')) {
    const found = log === undefined ? {} : { events, fit, lines };
    await write(streams.out, `${JSON.stringify({ extractor: mark, samples, wrong, ...found })}\n`);
  } else {
    const out = wrong.flatMap((one) => [
      `sample: ${one.message}`,
      `  should give: ${one.expected.join(' ') || 'nothing'}`,
      `  gives:       ${one.found.join(' ') || 'nothing'}`,
    ]);
    for (const one of lines)
      out.push(
        one.line,
        ...Object.entries(one.fields).map(([name, value]) => `  ${name} = ${String(value)}`),
      );
    out.push(`${mark}: ${samples - wrong.length} of ${counted(samples, 'sample')} as expected`);
    if (log !== undefined) {
      const shown = fit > lines.length ? `; the first ${lines.length} are above` : '';
      out.push(`${log}: fits ${fit} of ${counted(events, 'event')}${shown}`);
    }
    await write(streams.out, `${out.map(visible).join('\n')}\n`);
  }
  return wrong.length > 0 ? 1 : 0;
}

function withoutNone(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  );
}
