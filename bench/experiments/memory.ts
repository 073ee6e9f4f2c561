/**
 * Memory of the whole process at limits of 512 MB and 1 GB (`DAYBOOK_MEMORY`): imports, exports, sorts, groups and
 * changes of cases that are larger than that. Each operation is a separate command; a figure is the peak of its
 * resident memory. An operation that is refused or fails ends the run.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFlowTable } from '../flow-table.ts';
import { FlowSeries } from '../generate/five-tuples.ts';
import { writeBegunConnections } from '../generate/begun-connections.ts';
import { writeFlowPackets } from '../generate/flow-packets.ts';
import { writeDays, writeUndated } from '../generate/lines.ts';
import { writeManyColumns } from '../generate/many-columns.ts';
import { writeMessages } from '../generate/messages.ts';
import { writeWideTable } from '../generate/wide.ts';
import { CLI, SESSION } from '../harness/program.ts';
import { figure, Report } from '../harness/report.ts';
import type { Scope } from '../harness/scope.ts';
import { measure } from '../process.ts';
import type { ExperimentOptions } from './options.ts';

const LIMITS = { '512 MB': '512MB', '1 GB': '1GB' } as const;
const FLOWS = 1_000_000;
/** Each has its own segment. */
const DAYS = 3000;
const LINES_A_DAY = 40;
const TABLES = { tables: 100, columns: 120, rows: 100 };
/** A Community ID that no flow has. */
const NO_FLOW = 'community_id:"1:AAAAAAAAAAAAAAAAAAAAAAAAAAA="';

export async function memory({ size = FLOWS }: ExperimentOptions, scope: Scope): Promise<Report> {
  const report = new Report('memory', { flows: size });
  const folder = scope.folder();
  const file = (name: string): string => join(folder, name);
  const inputs = {
    flows: file('flows.csv'),
    log: file('mixed.log'),
    capture: file('flows.pcap'),
    different: file('different.csv'),
    alike: file('alike.csv'),
    begun: file('begun.pcap'),
    undated: file('undated.txt'),
    days: file('days.log'),
    columns: file('columns'),
  };
  writeFlowTable(inputs.flows, size, 13);
  writeMessages(inputs.log, size / 2);
  const series = new FlowSeries(3);
  const packets = Array.from({ length: size / 10 }, () => series.next());
  writeFlowPackets(inputs.capture, packets);
  writeWideTable(inputs.different, { rows: size / 25, columns: 32 });
  writeWideTable(inputs.alike, { rows: size / 16, columns: 60, alike: true });
  writeBegunConnections(inputs.begun, size / 10);
  writeUndated(inputs.undated, size);
  writeDays(inputs.days, DAYS, LINES_A_DAY);
  mkdirSync(inputs.columns);
  writeManyColumns(inputs.columns, TABLES);

  for (const [name, limit] of Object.entries(LIMITS)) {
    const run = async (
      what: string,
      args: readonly string[],
      env: NodeJS.ProcessEnv = {},
    ): Promise<void> => {
      const from = [CLI, ...args];
      await noted(what, measure(process.execPath, from, { DAYBOOK_MEMORY: limit, ...env }));
    };
    const noted = async (what: string, running: ReturnType<typeof measure>): Promise<void> => {
      const { peakRss, wallMs, exit, err } = await running;
      if (err.includes('needs more memory')) {
        report.note(`${what} at ${name} was refused: it needs more memory`);
        return;
      }
      if (exit !== 0) throw new Error(`${what} at ${name} ended with ${exit}: ${err.slice(-500)}`);
      if (peakRss === undefined) throw new Error('this system does not say what a process takes');
      const note = `${figure(wallMs / 1000)} s`;
      report.add(what, 'MB', name, { value: peakRss / 1e6, note });
    };
    const [flows, wide] = [file('flows.daybook'), file('wide.daybook')];
    const out = file('out');
    const queryOf = (of: string, text: string, format = 'csv'): string[] => [
      ...['query', of, text, '--format', format],
      ...['--out', out, '--force'],
    ];
    const query = (text: string, format: string): string[] => queryOf(flows, text, format);
    const wideQuery = (text: string): string[] => queryOf(wide, text);
    const [undated, days, columns] = ['undated', 'days', 'columns'].map((of) =>
      file(`${of}.daybook`),
    ) as [string, string, string];
    await run('import of flows', ['import', flows, inputs.flows]);
    await run('import of a log', ['import', file('log.daybook'), inputs.log]);
    await run('import of a capture', ['import', file('capture.daybook'), inputs.capture]);
    await run('import of 32 columns of different texts', [
      ...['import', file('different.daybook'), inputs.different],
    ]);
    await run('import of 60 columns of texts that repeat', ['import', wide, inputs.alike]);
    await run('flows: all to CSV', query('kind:*', 'csv'));
    await run('flows: all to Parquet', query('kind:*', 'parquet'));
    await run('flows: all, sorted by bytes, to CSV', query('* | sort bytes', 'csv'));
    await run('flows: all, sorted by bytes, to Parquet', query('* | sort bytes', 'parquet'));
    await run('flows: talkers, all of them', query('* | talkers', 'csv'));
    await run('flows: groups by addresses and port', [
      ...query('* | stats count(), sum(bytes) by src_ip, dst_ip, dst_port', 'csv'),
    ]);
    await run('flows: a Community ID that none has', query(`${NO_FLOW} | count`, 'csv'));
    const asked = `${JSON.stringify(JSON.stringify({ do: 'conversations', query: '' }))}\n`;
    const memory = { DAYBOOK_MEMORY: limit };
    await noted(
      "flows: the window's conversations",
      measure(process.execPath, [SESSION, flows], memory, asked),
    );
    await run('60 columns: all to CSV', wideQuery('kind:*'));
    await run('60 columns: all, sorted by one, to CSV', wideQuery('* | sort field_3'));
    await run('60 columns: one of each port', wideQuery('* | dedup dst_port'));
    await run('flows: verify', ['verify', flows]);
    await run('flows: retime', ['retime', flows, '1', '--tz', '+01:00']);
    await run('60 columns: compact', ['compact', wide]);
    await run('import of begun connections', ['import', file('begun.daybook'), inputs.begun]);
    await run('import of lines without a time', ['import', undated, inputs.undated]);
    await run('lines without a time: all to CSV', queryOf(undated, 'kind:*'));
    const single = { DAYBOOK_DENSE_ROWS: '1' };
    await run('import of 3,000 days, a segment each', ['import', days, inputs.days], single);
    await run('3,000 segments: verify', ['verify', days], single);
    await run('3,000 segments: all to CSV', queryOf(days, 'kind:*'), single);
    await run('import of 100 tables, 12,000 columns', ['import', columns, inputs.columns]);
    await run('12,000 columns: all to NDJSON', queryOf(columns, 'kind:*', 'ndjson'));
    const cases = ['flows', 'log', 'capture', 'different', 'wide'];
    for (const one of [...cases, 'begun', 'undated', 'days', 'columns'])
      rmSync(file(`${one}.daybook`), { recursive: true });
  }
  return report;
}
