/** `events.tag` and `events.delete`: mark the events that a query finds, in one transaction. */
import { DaybookError } from '../contract/errors.ts';
import { CaseWriter } from '../ingest/case-writer.ts';
import { Stopwatch } from '../measure/operation-log.ts';
import { parseQuery, ROW_IDENTITY } from '../query/index.ts';
import type { BuilderOptions } from '../store/segment-builder.ts';
import type { StoreOptions } from '../store/segment-store.ts';
import { CaseSession } from './case-session.ts';
import { startQuery } from './query.ts';

export interface MarkParameters {
  folder: string;
  text: string;
  from?: number | undefined;
  to?: number | undefined;
  zone: string;
  builder: BuilderOptions;
  store: StoreOptions;
  signal?: AbortSignal;
}

export interface MarkReport {
  /** Events that the query found. */
  matched: number;
  /** Of these, those that were not marked so before. */
  changed: number;
  /** Packets beneath flows that the query left out: they keep what marks they have. */
  packetsBeneath?: { packets: number; exact: boolean };
}

/** Tags every event that the query finds, or takes the tag away. */
export function tagEvents(
  parameters: MarkParameters & { name: string; remove: boolean },
): Promise<MarkReport> {
  const name = parameters.name.trim();
  if (name === '' || /[\u0000-\u001f]/.test(name) || name.length > 100) {
    throw new DaybookError('usage', 'a tag has a name of 1 to 100 characters');
  }
  const operation = parameters.remove ? 'untag' : 'tag';
  return mark(parameters, operation, (writer) => writer.catalog.tagId(name), !parameters.remove, {
    name,
  });
}

/** Deletes every event that the query finds. `daybook compact` removes them from the files. */
export function deleteEvents(parameters: MarkParameters & { reason: string }): Promise<MarkReport> {
  const reason = parameters.reason.trim();
  if (reason === '')
    throw new DaybookError(
      'usage',
      'a deletion needs a reason',
      'give one with --reason TEXT: it stays in the audit log',
    );
  return mark(parameters, 'delete', () => 0, true, { reason });
}

async function mark(
  parameters: MarkParameters,
  operation: string,
  tagOf: (writer: CaseWriter) => number,
  set: boolean,
  detail: Record<string, unknown>,
): Promise<MarkReport> {
  const watch = new Stopwatch(`events.${operation}`);
  const writer = await CaseWriter.open(parameters.folder, operation, parameters.builder);
  const session = CaseSession.open(parameters.folder, parameters.store);
  try {
    const start = (text: string) =>
      startQuery(session, {
        text,
        from: parameters.from,
        to: parameters.to,
        zone: parameters.zone,
        signal: parameters.signal,
      });
    const asked = start(parameters.text);
    if (asked.plan.shape !== 'rows') {
      throw new DaybookError(
        'usage',
        `${operation} needs a query that finds events, not a table`,
        'leave out the stages that count or group',
      );
    }
    // Which events they are is enough: their other columns are not read.
    const chooses = parseQuery(parameters.text).stages.some(({ stage }) => stage === 'fields');
    const running = chooses ? asked : start(`${parameters.text} | fields event_id`);
    const bySegment = new Map<number, number[]>();
    let matched = 0;
    for await (const batch of running.rows()) {
      for (const row of batch.rows) {
        const segment = Number(row[ROW_IDENTITY.segment]);
        const list = bySegment.get(segment);
        if (list === undefined) bySegment.set(segment, [Number(row[ROW_IDENTITY.rowId])]);
        else list.push(Number(row[ROW_IDENTITY.rowId]));
        matched += 1;
      }
    }
    let changed = 0;
    if (matched > 0) {
      const { catalog } = writer;
      watch.span('commit', () =>
        catalog.transaction(() => {
          const tag = tagOf(writer);
          for (const [segment, rows] of bySegment) {
            const before = catalog.marks(segment, tag);
            const after = set ? union(before, rows) : difference(before, rows);
            changed += Math.abs(after.length - before.length);
            catalog.setMarks(segment, tag, after);
          }
          catalog.addAudit(operation, {
            query: parameters.text,
            from: parameters.from,
            to: parameters.to,
            ...detail,
            matched,
            changed,
          });
          catalog.addChange(operation, {
            ...detail,
            rows: changed,
            segments: [...bySegment.keys()],
          });
        }),
      );
    }
    const { spans, path, days, segments, rowsExamined } = running.timings();
    for (const [name, ms] of Object.entries(spans)) watch.add(name, ms);
    Object.assign(watch, { path, days, segments, rowsExamined });
    watch.rowsReturned = matched;
    session.record(watch, 'done', parameters.text);
    const beneath = asked.plan.packetsBeneath;
    return {
      matched,
      changed,
      ...(beneath === undefined || beneath.packets === 0 ? {} : { packetsBeneath: beneath }),
    };
  } finally {
    await session.close();
    writer.close();
  }
}

/** Both, ascending, each number once. */
function union(sorted: Uint32Array, more: readonly number[]): Uint32Array {
  const all = new Uint32Array(sorted.length + more.length);
  all.set(sorted);
  all.set(more, sorted.length);
  all.sort();
  let to = 0;
  for (let i = 0; i < all.length; i++) if (i === 0 || all[i] !== all[i - 1]) all[to++] = all[i]!;
  return all.slice(0, to);
}

function difference(sorted: Uint32Array, less: readonly number[]): Uint32Array {
  const gone = new Set(less);
  return sorted.filter((row) => !gone.has(row));
}
