/**
 * Import of captures with decoded protocols: a capture of an office, and an attack on connection tracking, a
 * million connections of which are opened and never closed. Responders have both in one import. Times are processor
 * time next to wall time, since the machine may be shared.
 */
import { join } from 'node:path';
import { writeCapture } from '../../fixtures/evidence/capture.ts';
import { END, START } from '../../fixtures/evidence/story.ts';
import { writeBegunConnections } from '../generate/begun-connections.ts';
import { warmPages } from '../harness/disk.ts';
import { DAYBOOK, Report } from '../harness/report.ts';
import type { Scope } from '../harness/scope.ts';
import { importCase } from '../peers/daybook.ts';
import type { ExperimentOptions } from './options.ts';

const BYTES = 1e9;
const HALF_OPEN = 1_000_000;
/** Conversations of a small trial, from which the number for the wanted size follows. */
const TRIAL = 2000;

export async function protocols(
  { size = BYTES }: ExperimentOptions,
  scope: Scope,
): Promise<Report> {
  const folder = scope.folder();
  const [office, attack] = [join(folder, 'office.pcap'), join(folder, 'attack.pcap')];
  const write = (conversations: number) =>
    writeCapture(office, {
      ...{ from: START, to: END, format: 'pcap', snapLength: 65_535 },
      ...{ conversations, incident: undefined, seed: 12 },
    });
  const trial = write(TRIAL);
  const written = write(Math.ceil((TRIAL * size) / trial.bytes));
  // Smaller runs have a smaller attack.
  const begun = Math.ceil((HALF_OPEN * size) / BYTES);
  const attacked = writeBegunConnections(attack, begun);
  const report = new Report('protocols', {
    ...{ MB: Math.round(written.bytes / 1e6), packets: written.records },
    ...{ 'attack MB': Math.round(attacked.bytes / 1e6), 'half-open connections': begun },
  });
  await warmPages([office, attack]);
  const run = async (
    what: string,
    files: readonly string[],
    packets: number,
    options: readonly string[] = [],
  ): Promise<void> => {
    const { ms, cpuMs, peakMemory, read } = await importCase(
      join(folder, `${report.rows.length}.daybook`),
      files,
      options,
    );
    if (read !== packets) throw new Error(`${what}: ${read} of ${packets} packets were read`);
    const cell = (value: number) => ({ value });
    report.add(what, 'packets/s', DAYBOOK, cell(packets / (ms / 1000)), 'more');
    report.add(`${what}: processor time`, 's', DAYBOOK, cell(cpuMs / 1000));
    report.add(`${what}: memory, peak`, 'MB', DAYBOOK, cell(peakMemory / 1e6));
  };
  const all = written.records + 2 * begun;
  await run('office', [office], written.records);
  await run('office, without protocols', [office], written.records, ['--no-protocols']);
  await run('attack', [attack], 2 * begun);
  await run('attack, without protocols', [attack], 2 * begun, ['--no-protocols']);
  await run('both', [office, attack], all);
  return report;
}
