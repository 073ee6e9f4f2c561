/** `--list FILE`: a list of values that narrows a query, from a file or standard input. */
import { counted, nounOf } from '../../../engine/contract/words/counted.ts';
import { basename } from 'node:path';
import { DaybookError } from '../../../engine/contract/errors.ts';
import type { Result } from '../../../engine/contract/operations.ts';
import type { ClusterSession } from '../../../engine/operations/cluster/session.ts';
import { unmatched } from '../../../engine/operations/query/unmatched.ts';
import {
  type CaseSession,
  type GivenList,
  textOf,
  type View,
} from '../../../engine/search/index.ts';
import {
  createOutput,
  outputPath,
  type OutputGuard,
} from '../../../engine/operations/output/output-file.ts';
import { readGiven } from '../../given-file.ts';
import type { OptionSpec, Parsed } from '../arguments.ts';
import { FORCE_OPTION } from '../command.ts';
import { count, visible, type Streams } from '../output.ts';

export const LIST_OPTIONS = {
  list: {
    type: 'string',
    value: 'FILE',
    help: 'only events that also match a line of this list (CSV, TSV, NDJSON, one value a line); - is standard input',
  },
  'list-field': {
    type: 'string',
    value: 'FIELDS',
    help: 'fields of the columns of the list, or the columns to use: host or src_ip,dst_port',
  },
  'list-directed': {
    type: 'boolean',
    help: 'rows with both ends of a conversation match only in the direction in which they are written',
  },
  'list-exclude': {
    type: 'string',
    value: 'FILE',
    help: 'only events that match no line of this list, which is read like --list',
  },
  'list-unmatched': {
    type: 'string',
    value: 'FILE',
    help: 'write the lines of the list that match no event to a file; - is standard error',
  },
  ...FORCE_OPTION,
} as const satisfies Record<string, OptionSpec>;

/** The limit of the contract. */
const MOST_BYTES = 32 << 20;

/**
 * The lists that the options name.
 * @throws DaybookError usage, unreadable, limit-exceeded
 */
export async function givenLists(
  parsed: Parsed,
  signal: AbortSignal,
): Promise<{ list?: GivenList | undefined; exclude?: GivenList | undefined }> {
  const [path, other] = [parsed.text('list'), parsed.text('list-exclude')];
  if (path === '-' && other === '-')
    throw new DaybookError('usage', 'standard input cannot be both lists', 'name a file for one');
  for (const name of ['list-field', 'list-directed', 'list-unmatched']) {
    const isGiven = parsed.flag(name) || parsed.text(name) !== undefined;
    if (!isGiven || path !== undefined || (name !== 'list-unmatched' && other !== undefined))
      continue;
    throw new DaybookError('usage', `--${name} needs --list`, 'name the list: --list FILE');
  }
  return {
    list: path === undefined ? undefined : await listIn(path, parsed, signal),
    exclude: other === undefined ? undefined : await listIn(other, parsed, signal),
  };
}

async function listIn(path: string, parsed: Parsed, signal: AbortSignal): Promise<GivenList> {
  const fields = parsed
    .text('list-field')
    ?.split(',')
    .map((name) => name.trim());
  if (fields?.some((name) => name === '') === true)
    throw new DaybookError('usage', '--list-field names fields, separated by commas');
  return {
    bytes: await readGiven(path, {
      role: 'the list',
      mostBytes: MOST_BYTES,
      advice: 'split it',
      signal,
    }),
    name: path === '-' ? 'standard input' : basename(path),
    fields,
    directed: parsed.flag('list-directed'),
  };
}

/** The lists that are files. */
export function listFiles(parsed: Parsed): string[] {
  return ['list', 'list-exclude'].flatMap((name) => {
    const path = parsed.text(name);
    return path === undefined || path === '-' ? [] : [path];
  });
}

/** Evidence that no output may replace; a case on a cluster has none on this machine. */
type Evidence = OutputGuard['evidence'];

/**
 * Refuses a file for unmatched lines that must not be written, before a long query runs.
 * @throws DaybookError usage, unreadable
 */
export async function checkUnmatched(parsed: Parsed, evidence: Evidence): Promise<void> {
  const path = parsed.text('list-unmatched');
  if (path !== undefined && path !== '-') await outputPath(path, guardOf(parsed, evidence));
}

function guardOf(parsed: Parsed, evidence: Evidence): OutputGuard {
  return { overwrite: parsed.flag('force'), inputs: listFiles(parsed), evidence };
}

/** A view in which lines of a list without a matching event are searched. */
interface ListedView {
  readonly list: GivenList | undefined;
  readonly evidence: Evidence;
  unmatched(
    list: GivenList,
  ): Promise<Pick<Result<'list.unmatched'>, 'lines' | 'of' | 'unsearched'>>;
}

export function listedIn(session: CaseSession, view: View, signal: AbortSignal): ListedView {
  return {
    list: view.list,
    evidence: session.snapshot().sources,
    unmatched: (list) => unmatched(session, { ...view, list }, signal),
  };
}

export function listedOn(session: ClusterSession, view: View): ListedView {
  return {
    list: view.list,
    evidence: undefined,
    unmatched: async (list) => {
      const { unmatchedOn } = await import('../../../engine/operations/cluster/unsearched.ts');
      return unmatchedOn(session, { ...view, list });
    },
  };
}

/**
 * The result of `--list-unmatched`: the lines of the list that no event of the view matches, as written in the
 * list, and their number.
 * @throws DaybookError unreadable, and whatever a query throws
 */
export async function tellUnmatched(
  parsed: Parsed,
  { list, evidence, unmatched: find }: ListedView,
  streams: Streams,
): Promise<void> {
  const path = parsed.text('list-unmatched');
  if (path === undefined || list === undefined) return;
  await checkUnmatched(parsed, evidence);
  const { lines, of, unsearched } = await find(list);
  for (const line of unsearched) streams.err.write(`${visible(line)}\n`);
  const all = textOf(list.bytes).split(/\r?\n/);
  const text = Array.from(lines, (line) => `${all[line - 1] ?? ''}\n`).join('');
  if (path === '-') {
    // Only the lines, so that another program can read them.
    for (const line of text.split('\n').slice(0, -1)) streams.err.write(`${visible(line)}\n`);
    return;
  }
  const file = await createOutput(path, guardOf(parsed, evidence));
  try {
    await file.write(text);
    await file.commit();
  } catch (error) {
    await file.abandon();
    throw error;
  }
  streams.err.write(
    `${count(lines.length)} of the list's ${counted(of, 'line')} ${nounOf(lines.length, 'matches', 'match')} no event\n`,
  );
}
