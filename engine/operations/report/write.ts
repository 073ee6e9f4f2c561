/** `report.write`: the case as one self-contained page. */
import { Stopwatch } from '../../measure/operation-log.ts';
import type { CaseSession } from '../../search/index.ts';
import { auditOutput, writeOutput, type OutputPlace, type Written } from '../output/output-file.ts';
import { reportDocument } from './document.ts';
import { reportFacts, type ReportRequest } from './facts.ts';

/**
 * Collects what the report says and writes it.
 * @throws DaybookError usage, unreadable, disk-full, cancelled, case-damaged
 */
export async function writeReport(
  session: CaseSession,
  request: ReportRequest,
  place: OutputPlace,
  tell: (step: number) => Promise<void> = async () => undefined,
): Promise<Written> {
  const watch = new Stopwatch('report.write');
  let step = 0;
  const { written } = await writeOutput(session, place, async (write) => {
    const facts = await watch.spanAsync('collect', () =>
      reportFacts(session, request, place.signal, () => tell(++step)),
    );
    const encoder = new TextEncoder();
    for (const piece of reportDocument(facts)) await write(encoder.encode(piece));
  });
  session.record(watch, 'done');
  const { title, author, zone } = request;
  auditOutput(session, 'report', { title, author, zone, ...written });
  return written;
}
