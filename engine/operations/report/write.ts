/** `report.write`: the case as one self-contained page. */
import { DaybookError } from '../../contract/errors.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import type { CaseSession } from '../../search/index.ts';
import { auditOutput, writeOutput, type OutputPlace, type Written } from '../output/output-file.ts';
import { reportDocument } from './document.ts';
import { reportFacts, type ReportRequest } from './facts.ts';

/** Fits in a page margin: a classification is never truncated. */
const LONGEST_CLASSIFICATION = 100;

/**
 * Who may read a report, as one line; undefined for an empty text.
 * @throws DaybookError usage
 */
function classificationOf(text: string | undefined): string | undefined {
  const line = text?.trim() ?? '';
  if (line === '') return undefined;
  if (line.length <= LONGEST_CLASSIFICATION && !/\p{Cc}/u.test(line)) return line;
  throw new DaybookError(
    'usage',
    `a classification is one line of at most ${LONGEST_CLASSIFICATION} characters`,
  );
}

/**
 * Collects the facts of a report and writes it.
 * @throws DaybookError usage, unreadable, disk-full, cancelled, case-damaged
 */
export async function writeReport(
  session: CaseSession,
  request: ReportRequest,
  place: OutputPlace,
  tell: (step: number) => Promise<void> = async () => undefined,
): Promise<Written> {
  const watch = new Stopwatch('report.write');
  const classification = classificationOf(request.classification);
  let step = 0;
  const { written } = await writeOutput(session.snapshot().sources, place, async (write) => {
    const facts = await watch.spanAsync('collect', () =>
      reportFacts(session, { ...request, classification }, place.signal, () => tell(++step)),
    );
    const encoder = new TextEncoder();
    for (const piece of reportDocument(facts)) await write(encoder.encode(piece));
  });
  session.record(watch, 'done');
  const { title, author, zone } = request;
  auditOutput(session, 'report', { title, author, classification, zone, ...written });
  return written;
}
