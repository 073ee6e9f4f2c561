/** `daybook query` and its short forms `count`, `top` and `timeline`. */
import { lookupFilesOf } from '../options/lookup-files.ts';
import { counted } from '../../../engine/contract/words/counted.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { hintsWhenEmpty } from '../../../engine/operations/query/empty-hints.ts';
import { countOf } from '../../../engine/operations/query/answer-records.ts';
import {
  rowFieldNames,
  shownRows,
  type Answer,
  type RunningQuery,
  type ShownRecord,
  askQuery,
} from '../../../engine/search/index.ts';
import {
  type NotSearched,
  notSearched,
  notSearchedText,
} from '../../../engine/operations/query/not-searched.ts';

import { type View, parseView } from '../../../engine/contract/view-string.ts';
import { isClusterAddress } from '../../../engine/contract/cluster-address.ts';
import type { OutputGuard } from '../../../engine/operations/output/output-file.ts';
import { areFields } from '../../../engine/operations/query/top-fields.ts';
import type { OptionSpec, Parsed } from '../arguments.ts';
import { EXIT, TIME_OPTIONS, type Command, type CommandContext } from '../command.ts';
import {
  LIST_OPTIONS,
  checkUnmatched,
  givenLists,
  listedIn,
  listedOn,
  listFiles,
  tellUnmatched,
} from '../options/list-option.ts';
import { packetsLeftOut, visible, write } from '../output.ts';
import {
  RESULT_OPTIONS,
  formatOf,
  limitUnused,
  isWrittenByRow,
  printAnswer,
  printRecords,
  printTable,
  type Format,
} from '../print-result.ts';
import { givenRange } from '../options/time-range.ts';
import { refuseOptions, withClusterSession } from '../on-cluster.ts';
import { withCase } from '../with-case.ts';
import { searchNamed, withSearches } from './searches.ts';

const OPTIONS: Readonly<Record<string, OptionSpec>> = {
  ...TIME_OPTIONS,
  ...LIST_OPTIONS,
  ...RESULT_OPTIONS,
  path: {
    type: 'string',
    value: 'scan',
    help: 'read the rows of every segment that may match, without indexes; the result is the same',
  },
  explain: { type: 'boolean', help: 'show what the query would read, and do not run it' },
  'fail-empty': {
    type: 'boolean',
    help: 'exit with status 4 if nothing is found (no row, or a count of 0)',
  },
  timings: { type: 'boolean', help: 'print on standard error how long each step took' },
  json: { type: 'boolean', help: 'one JSON document with the timings; rows as NDJSON' },
};

export const queryCommand: Command = {
  spec: {
    name: 'query',
    usage: "CASE 'QUERY'",
    summary:
      'Runs a query: a filter, then stages that count, group or reshape what it finds, each after a |.',
    positionals: { least: 1, most: 2 },
    options: {
      ...OPTIONS,
      saved: {
        type: 'string',
        value: 'NAME',
        help: 'run this saved search of the case (daybook searches) instead of a QUERY',
      },
    },
    details: `Examples:
  daybook query CASE 'failed password' --limit 20
  daybook query CASE 'src_ip:10.0.0.0/8 dst_port:22 | top 10 src_ip by sum(bytes)'
  daybook query CASE 'kind:log severity:<=err | timeline 1h by host'
  daybook query CASE 'kind:log host:web01 | patterns 50'
  daybook query CASE '* | top 10 dst_ip' --list addresses.txt --list-unmatched unseen.txt
The query language: docs/query-language.md.`,
  },
  run: async (parsed, context) => {
    const [place, text] = parsed.positionals as [string, string?];
    const name = parsed.text('saved');
    if ((text === undefined) === (name === undefined))
      throw new DaybookError(
        'usage',
        name === undefined
          ? "daybook query needs CASE 'QUERY'"
          : `a QUERY and --saved ${name} cannot be combined`,
        name === undefined ? 'or --saved NAME; see: daybook query --help' : 'give one of them',
      );
    if (name === undefined) return run('query.run', text!, parsed, context);
    const view = await savedView(place, name, context);
    if (view.sort !== undefined)
      context.streams.err.write(
        `the window sorts this search by ${visible(view.sort.field)}; here rows come in the order of the query\n`,
      );
    return run('query.run', view.query, parsed, context, view);
  },
};

/** @throws DaybookError unknown-name, usage */
async function savedView(place: string, name: string, context: CommandContext): Promise<View> {
  let view: View | undefined;
  await withSearches(place, context, async (searches) => {
    view = parseView((await searchNamed(searches, name)).view);
    return 0;
  });
  return view!;
}

export const countCommand: Command = {
  spec: {
    name: 'count',
    usage: "CASE ['QUERY']",
    summary: 'Counts the events that a query finds, or all events.',
    positionals: { least: 1, most: 2 },
    options: OPTIONS,
  },
  run: (parsed, context) =>
    run('query.count', `${filterOf(parsed.positionals[1])} | count`, parsed, context),
};

export const topCommand: Command = {
  spec: {
    name: 'top',
    usage: "CASE FIELD[,FIELD…] ['QUERY']",
    summary:
      'Shows the most frequent values of one or more fields, exactly, with their share and the rest.',
    positionals: { least: 2, most: 3 },
    options: {
      ...OPTIONS,
      n: { type: 'string', value: 'N', help: 'how many groups (default 10)' },
      by: {
        type: 'string',
        value: 'MEASURE',
        help: 'measure to order by, such as sum(bytes) or distinct(dst_ip) (default count)',
      },
    },
  },
  run: (parsed, context) => {
    const by = parsed.text('by');
    const fields = parsed.positionals[1]!;
    if (!areFields(fields))
      throw new DaybookError(
        'usage',
        `top takes fields first, such as src_ip, then a query; ${JSON.stringify(fields)} is not a field`,
        "daybook top CASE FIELD[,FIELD…] ['QUERY']",
      );
    const stage = `top ${parsed.whole('n', 1) ?? 10} ${fields}${by === undefined ? '' : ` by ${by}`}`;
    return run('query.top', `${filterOf(parsed.positionals[2])} | ${stage}`, parsed, context);
  },
};

export const timelineCommand: Command = {
  spec: {
    name: 'timeline',
    usage: "CASE ['QUERY']",
    summary:
      'Counts events per interval, empty ones included; without an interval, in 30 even buckets.',
    positionals: { least: 1, most: 2 },
    options: {
      ...OPTIONS,
      interval: { type: 'string', value: 'I', help: 'width of a bucket: 30s, 5m, 1h, 1d, 1w' },
      by: { type: 'string', value: 'FIELD', help: 'one series per value of this field' },
    },
  },
  run: (parsed, context) => {
    const stage = [
      'timeline',
      parsed.text('interval'),
      parsed.text('by') === undefined ? undefined : `by ${parsed.text('by')}`,
    ];
    const text = stage.filter((word) => word !== undefined).join(' ');
    return run('query.timeline', `${filterOf(parsed.positionals[1])} | ${text}`, parsed, context);
  },
};

function filterOf(text: string | undefined): string {
  return text === undefined || text.trim() === '' ? '*' : text;
}

async function run(
  operation: string,
  text: string,
  parsed: Parsed,
  context: CommandContext,
  saved?: View,
): Promise<number> {
  const { streams, settings, signal } = context;
  formatOf(parsed);
  const { from, to, zone } = rangeOf(parsed, saved);
  const limit = parsed.whole('limit', 0);
  if (limit === 0 && parsed.flag('fail-empty'))
    throw new DaybookError(
      'usage',
      '--limit 0 prints no rows, so --fail-empty cannot tell whether any were found',
      'leave it out, or ask with daybook count CASE QUERY --fail-empty',
    );
  const path = parsed.text('path');
  if (path !== undefined && path !== 'scan')
    throw new DaybookError(
      'usage',
      `unknown access path: ${JSON.stringify(path)}`,
      'leave it out, or give --path scan',
    );
  const lists = await givenLists(parsed, signal);
  const lookups = await lookupFilesOf(text, signal);
  const asked = { text, from, to, ...lists, lookups, zone, limit } as const;
  const [place] = parsed.positionals;
  if (isClusterAddress(place!)) {
    refuseOptions(parsed, ['path']);
    const { askCluster } = await import('../../../engine/operations/cluster/cluster-query.ts');
    return withClusterSession(place!, signal, async (session) => {
      const running = await askCluster(session.cluster, asked, session.context);
      if (parsed.flag('explain')) return explain(running, parsed, context);
      await checkUnmatched(parsed, undefined);
      const rows = running.shownRows();
      const found = await print(running, rows, undefined, undefined, parsed, context);
      const view = { ...asked, query: text };
      await tellUnmatched(parsed, listedOn(session, view), streams);
      return exitStatus(found, parsed);
    });
  }
  return withCase(place!, settings, async (session) => {
    const view = { from, to, ...lists, lookups, zone, path } as const;
    const running = await askQuery(session, { ...asked, path, signal, operation });
    if (parsed.flag('explain')) return explain(running, parsed, context);
    const { sources } = session.snapshot();
    await checkUnmatched(parsed, sources);
    const { plan } = running;
    const found = await print(
      running,
      shownRows(running, zone),
      sources,
      () => notSearched(session, plan, signal),
      parsed,
      context,
    );
    await tellUnmatched(parsed, listedIn(session, { ...view, query: text }, signal), streams);
    return exitStatus(found, parsed);
  });
}

/** Given options override saved ones. @throws DaybookError usage */
function rangeOf(parsed: Parsed, saved: View | undefined): ReturnType<typeof givenRange> {
  const { from = saved?.from, to = saved?.to, zone } = givenRange(parsed, saved?.zone);
  if (from !== undefined && to !== undefined && to <= from)
    throw new DaybookError(
      'usage',
      'together with the time range of the saved search, --from is not before --to',
      'give both',
    );
  return { from, to, zone };
}

function exitStatus(isFound: boolean, parsed: Parsed): number {
  return isFound || !parsed.flag('fail-empty') ? EXIT.done : EXIT.nothingFound;
}

/** A query that is planned, on a case or on a cluster. */
type Running = Pick<RunningQuery, 'plan' | 'answer' | 'table' | 'explain' | 'notes' | 'timings'>;

async function explain(
  running: Running,
  parsed: Parsed,
  { streams }: CommandContext,
): Promise<number> {
  const lines = await running.explain();
  const asJson = `${JSON.stringify({ plan: lines })}\n`;
  await write(streams.out, parsed.flag('json') ? asJson : `${lines.join('\n')}\n`);
  return 0;
}

/**
 * @param rows of events, for a plan of shape `rows`
 * @param evidence files that the output must not replace
 * @param whyNothing what was not searched, if nothing is found; undefined: unknown
 * @returns whether anything was found
 */
async function print(
  running: Running,
  rows: AsyncIterable<ShownRecord[]>,
  evidence: OutputGuard['evidence'],
  whyNothing: (() => Promise<NotSearched | undefined>) | undefined,
  parsed: Parsed,
  context: CommandContext,
): Promise<boolean> {
  const { format, out } = formatOf(parsed);
  const { streams } = context;
  const { plan } = running;
  let left: NotSearched | undefined;
  const beside = () => ({
    ...beneathOf(running),
    ...(left === undefined ? {} : { notSearched: left, hints: hintsWhenEmpty(plan) }),
    notes: running.notes(),
    timings: running.timings(),
  });
  const guard = { overwrite: parsed.flag('force'), inputs: listFiles(parsed), evidence };
  const options = { format, out, guard, streams, beside };
  const names = () => rowFieldNames(plan);
  let found: number;
  let isFound: boolean | undefined;
  if (plan.shape === 'rows') {
    const chosen = plan.projection === undefined ? undefined : names();
    found = await printRecords(rows, chosen, names, options);
    if (found === 0) left = await whyNothing?.();
  } else if (isWrittenByRow(plan, format)) {
    found = await printTable(await running.table(), options);
    if (found === 0) left = await whyNothing?.();
  } else {
    const answer = await running.answer();
    isFound = !isEmpty(answer);
    if (!isFound) left = await whyNothing?.();
    found = await printAnswer(countOf(running, answer), options);
  }
  tell(running, found, format, parsed, context);
  // A JSON document has it.
  if (left !== undefined && (format !== undefined || plan.shape === 'rows'))
    for (const line of notSearchedText(left, { packets: false }))
      streams.err.write(`${visible(line)}\n`);
  return isFound ?? found > 0;
}

/** Whether an answer is of no event at all. */
function isEmpty(answer: Answer): boolean {
  switch (answer.shape) {
    case 'count':
      return Number(answer.count) === 0;
    case 'timeline':
      return answer.buckets.every(({ count: n }) => Number(n ?? 0) === 0);
    default:
      return answer.rows.length === 0;
  }
}

/** Notes next to the result: number of rows, time, and the packets beneath flows. */
function tell(
  running: Running,
  found: number,
  format: Format | undefined,
  parsed: Parsed,
  { streams }: CommandContext,
): void {
  const { plan } = running;
  const forPeople = format === 'table';
  if (forPeople && found === 0 && parsed.text('limit') !== '0') {
    const sentence =
      plan.segmentsUsed.length === 0 && plan.prunedSegments.length === 0
        ? 'the case holds no events'
        : 'no event matches';
    streams.err.write(
      `${sentence}${plan.range.from !== undefined || plan.range.to !== undefined ? ' in this time range' : ''}\n`,
    );
  }
  if (forPeople && found === 0)
    for (const hint of hintsWhenEmpty(plan)) streams.err.write(`${visible(hint)}\n`);
  // A JSON document has the number of packets beneath; other forms have no place for it.
  if (format !== 'json' && (format !== undefined || plan.shape === 'rows'))
    streams.err.write(packetsLeftOut(plan.packetsBeneath));
  streams.err.write(limitUnused(parsed, plan));
  for (const note of running.notes()) streams.err.write(`${visible(note)}\n`);
  if (forPeople ? parsed.flag('timings') || streams.err.isTTY === true : parsed.flag('timings')) {
    const timings = running.timings();
    const spans = Object.entries(timings.spans).map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
    streams.err.write(
      `${counted(found, 'row')} · ${timings.days ?? 0} of ${counted(plan.days.total, 'day')} · ${counted(timings.segments ?? 0, 'segment')} · ${timings.path ?? ''} · ${counted(timings.rowsExamined ?? 0, 'row')} examined · ${timings.totalMs.toFixed(1)} ms (${spans.join(', ')})\n`,
    );
  }
}

/** `packetsBeneath` of a JSON document, if a query omitted packets. */
function beneathOf({ plan }: Running): {
  packetsBeneath?: { packets: number; exact: boolean };
} {
  const beneath = plan.packetsBeneath;
  return beneath === undefined || beneath.packets === 0 ? {} : { packetsBeneath: beneath };
}
