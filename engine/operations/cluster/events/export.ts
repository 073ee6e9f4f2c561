/** Exports what a view of the case on a cluster shows to a file on this machine. */
import type { OutputPlace, Written } from '../../output/output-file.ts';
import { type ExportParameters, exportedText, writeRows } from '../../output/rows-export.ts';
import { askCluster } from '../cluster-query.ts';
import { type ClusterSession, statusOfError } from '../session.ts';

/** @throws DaybookError query-syntax, unknown-field, usage, unreadable, disk-full, cancelled */
export async function exportRowsOn(
  session: ClusterSession,
  parameters: ExportParameters,
  place: OutputPlace,
  tell: (done: number) => Promise<void>,
): Promise<Written & { rows: number }> {
  const { query, from, to, list, zone, limit } = parameters;
  const question = { from, to, list, zone, limit, operation: 'export.rows' };
  const text = exportedText(parameters);
  const running = await askCluster(session.cluster, { text, ...question }, session.context);
  const { watch } = running;
  try {
    // The files that the case was made of are on another computer.
    const written = await writeRows(
      { running, rows: running.shownRows() },
      ...([parameters, undefined, place, tell] as const),
    );
    watch.rowsReturned = written.rows;
    session.record(watch, 'done', query);
    return written;
  } catch (error) {
    session.record(watch, statusOfError(error), query);
    throw error;
  }
}
