/**
 * Answers grouping queries from rollups: from the segments whose rollups cover the query exactly, and from the rows
 * of the others.
 */
import type { RollupGroups } from '../../index/rollup/rollup-groups.ts';
import {
  type AnswerStatement,
  type FoundRows,
  type Plan,
  type RawValue,
  type SegmentInfo,
  compileAnswer,
  compileGroups,
  countOf,
  outputsOf,
} from '../../query/index.ts';
import { type GroupQuestion, groupQuestion } from '../access-paths/group-question.ts';
import { type NodeGroups, nodeGroups } from '../access-paths/group-nodes.ts';
import { bareFilter, groupsByValue } from '../access-paths/value-groups.ts';
import { groupsInSegment } from '../access-paths/group-sources.ts';
import { groupsOfRows, rowsOfGroups } from '../access-paths/group-rows.ts';
import { pruned } from '../access-paths/prune.ts';
import { tableBatches, type TableReader } from './answer-table.ts';
import type { AskedView } from '../asked-view.ts';
import type { RowFinder } from '../rows/row-finder.ts';
import { SearchCost } from '../search-cost.ts';

interface GroupAnswer {
  /** Its columns; the statement was not executed. */
  readonly statement: AnswerStatement;
  readonly rows: RawValue[][];
  readonly cost: SearchCost;
}

/** If a larger part of the rows must be read, one statement over all of them is as fast. */
const MOST_READ = 0.2;
/** Estimated costs: adding a group, reading and grouping a row, grouping rows by SQL. */
const GROUP_NS = 50;
const READ_NS = 1000;
const ROW_NS = 120;
const FEW_NS = 20e6;

/** Groups from rollups, and the rows to read in addition. */
interface Rolled {
  readonly question: GroupQuestion;
  readonly sources: readonly RollupGroups[];
  /** The segments with rows to read. */
  readonly left: ReadonlyMap<number, FoundRows>;
  readonly read: readonly SegmentInfo[];
  /** Groups in `sources` that come from merged rollups. */
  readonly merged: Pick<NodeGroups, 'nodes' | 'segments' | 'total'>;
  readonly cost: SearchCost;
}

/**
 * A text: why rollups do not help.
 * @throws CancelledError, IndexDamaged
 */
export async function rollUp(finder: RowFinder, plan: Plan): Promise<Rolled | string> {
  const question = groupQuestion(plan);
  if (question === undefined || plan.events.node !== 'base')
    return 'none is stored for these groups or measures';
  const { filter } = plan.events;
  const merged = nodeGroups(question, filter, plan.segmentsUsed, finder.nodes());
  const sources: RollupGroups[] = [...merged.groups];
  const left = new Map<number, FoundRows>();
  const read: SegmentInfo[] = [];
  const cost = new SearchCost('rollup');
  const rolled: FoundRows = { rows: 'all', exact: true, rest: filter, by: 'rollup' };
  const bare = bareFilter(question, filter);
  for (const segment of merged.segments) cost.add(segment, rolled);
  const most = plan.rowsExamined * MOST_READ;
  let reading = 0;
  const asked = merged.rest.reduce((sum, { rows }) => sum + rows, 0);
  for (const segment of merged.rest) {
    await finder.breathe();
    const known = finder.known(segment);
    const groups = groupsInSegment(question, filter, segment, known);
    if (groups !== undefined) {
      sources.push(...groups);
      if (groups.length > 0) cost.add(segment, rolled);
      left.set(segment.id, { ...rolled, rows: 'none' });
      continue;
    }
    if (bare !== undefined) {
      const found = await finder.find(bare.filter, segment);
      const byValue = groupsByValue(question, bare, found, segment, known, asked);
      if (byValue !== undefined) {
        sources.push(byValue);
        cost.add(segment, { ...found, by: 'index' });
        left.set(segment.id, { ...rolled, rows: 'none' });
        continue;
      }
    }
    const matching = await finder.find(filter, segment);
    left.set(segment.id, matching);
    if (matching.rows === 'none') continue;
    read.push(segment);
    cost.add(segment, { ...matching, exact: false });
    reading += countOf(matching.rows, segment.rows);
    if (reading > most) return NOT_COVERED;
  }
  if (read.length > 0 && sources.length === 0) return NOT_COVERED;
  const groups = sources.reduce((sum, { counts }) => sum + counts.length, 0);
  const byRollup = groups * GROUP_NS + reading * READ_NS;
  if (byRollup > FEW_NS + plan.rowsExamined * ROW_NS)
    return 'it has so many groups that grouping the rows is faster';
  return { question, sources, left, read, merged, cost };
}

const NOT_COVERED = 'it does not cover the conditions, or too few of the segments';

/**
 * Undefined if rows must be read.
 * @throws CancelledError, IndexDamaged, and whatever a statement throws
 */
export async function answerGroups(
  asked: AskedView,
  limit = Infinity,
): Promise<GroupAnswer | undefined> {
  const { finder, plan } = asked;
  if (finder === undefined) return undefined;
  const rolled = await rollUp(finder, plan);
  if (typeof rolled === 'string' || plan.events.node !== 'base') return undefined;
  const { question, left, read, merged, cost } = rolled;
  const sources = [...rolled.sources];
  if (read.length > 0) {
    const remaining = pruned(
      { ...plan, segmentsUsed: read },
      new Map([[plan.events.filter, left]]),
    );
    const found = groupsOfRows(
      question,
      await asked.rows(compileGroups(remaining, question.fields, question.sums), read),
    );
    if (found === undefined) return undefined;
    sources.push(found);
  }
  const answer = rowsOfGroups(question, sources, limit, merged.total);
  if (answer === undefined) return undefined;
  const { outputs } = outputsOf(plan.tableColumns, 0);
  const statement = { sql: '', params: [], columns: outputs, grid: undefined };
  return { statement, rows: answer, cost };
}

/** The groups of a view's last stage, by the best access path. */
export async function groupsOf(
  asked: AskedView,
): Promise<{ statement: AnswerStatement; rows: RawValue[][] }> {
  const { plan, watch } = asked;
  if (plan.segmentsUsed.length === 0) return { statement: compileAnswer(plan), rows: [] };
  const known = await watch.spanAsync('index', () => answerGroups(asked));
  if (known !== undefined) {
    known.cost.tell(watch);
    return known;
  }
  let statement: AnswerStatement | undefined;
  const rows: RawValue[][] = [];
  for await (const batch of tableBatches(tableReader(asked))) {
    ({ statement } = batch);
    for (const row of batch.rows) rows.push(row);
  }
  return { statement: statement ?? compileAnswer(plan), rows };
}

/** Reads a table from the rows of the plan. */
export function tableReader(asked: AskedView): TableReader {
  const { plan, session } = asked;
  return {
    ...{ plan, memory: session.memory },
    stream: (statement) => asked.stream(statement),
    drop: (tables) => session.store.dropWork(tables),
  };
}
