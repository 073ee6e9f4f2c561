/**
 * The case of the window's benchmark: flows, logs and a capture of October 2026, seeded. A case that is
 * there already is used again: with the same sizes it is the same evidence.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeCapture } from '../../fixtures/evidence/capture.ts';
import { writeAuthLog, writeFirewallLog } from '../../fixtures/evidence/syslog.ts';
import { writeFlowTable } from '../flow-table.ts';
import { CLI } from '../harness/program.ts';
import { measure } from '../process.ts';

const FROM = Date.UTC(2026, 9, 1) * 1000;
const DAYS = 31;
const DAY = 86_400e6;
const TO = FROM + DAYS * DAY;

/**
 * Makes a case of about `events` events at `path` unless one is there. The evidence lies beside it
 * while it is imported, and afterwards too: packets are read from there.
 */
export async function bigCase(path: string, events: number): Promise<void> {
  if (existsSync(join(path, 'case.sqlite'))) return;
  const evidence = join(dirname(path), 'evidence');
  mkdirSync(evidence, { recursive: true });
  console.log(`making a case of about ${events} events in ${path}`);
  const perDay = (share: number) => Math.round((events * share) / DAYS);
  const log = { from: FROM, to: TO };
  writeFlowTable(join(evidence, 'flows.csv'), Math.round(events * 0.6), 21, DAYS * 86_400_000);
  writeAuthLog(join(evidence, 'auth.log'), { ...log, linesPerDay: perDay(0.29), seed: 22 });
  writeFirewallLog(join(evidence, 'fw01.log'), { ...log, linesPerDay: perDay(0.1), seed: 23 });
  writeCapture(join(evidence, 'bastion01.pcap'), {
    ...{ from: FROM + 12 * DAY, to: FROM + 12 * DAY + DAY / 24, format: 'pcap', snapLength: 256 },
    ...{ conversations: Math.round(events * 0.0005), incident: 'brute-force', seed: 24 },
  });
  // The year of a log without years is found from when it was last written.
  for (const name of ['auth.log', 'fw01.log']) utimesSync(join(evidence, name), TO / 1e6, TO / 1e6);
  const run = await measure(process.execPath, [CLI, 'import', path, evidence, '--json']);
  if (run.exit !== 0) {
    rmSync(path, { recursive: true, force: true });
    throw new Error(`the case could not be made: ${run.err.slice(-1000)}`);
  }
  const compacted = await measure(process.execPath, [CLI, 'compact', path]);
  if (compacted.exit !== 0) throw new Error(`compact failed: ${compacted.err.slice(-1000)}`);
}

/** A case folder that nobody named. */
export function newCasePath(): string {
  return join(mkdtempSync(join(tmpdir(), 'daybook-bench-ui-')), 'ten-million.daybook');
}
