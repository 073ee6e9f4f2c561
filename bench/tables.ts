/**
 * Writes the tables of docs/benchmarks.md from the results that the repository keeps.
 *
 *     npm run bench -- nitro && cp bench/out/nitro.json bench/results/ && npm run bench:tables
 *
 * A table is between `<!-- table NAME -->` and `<!-- end -->`; its figures are in bench/results/NAME.json.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './harness/program.ts';
import { inputText, type KeptReport, tableLines } from './harness/report.ts';

const PAGE = join(ROOT, 'docs/benchmarks.md');
const BLOCK = /(<!-- table ([\w-]+) -->\n)[^]*?(<!-- end -->)/g;

/** The page with its tables made from the results. */
export function withTables(page: string): string {
  return page.replaceAll(BLOCK, (_, from: string, name: string, to: string) => {
    const path = join(ROOT, 'bench/results', `${name}.json`);
    const kept = JSON.parse(readFileSync(path, 'utf8')) as KeptReport;
    const rows = kept.rows.map((row) => ({ ...row, cells: new Map(Object.entries(row.cells)) }));
    const load = kept.load.map((one) => one.toFixed(1)).join(', ');
    const head = [
      `\`npm run ${kept.script ?? 'bench'} -- ${kept.command}\`, ${kept.at.slice(0, 16).replace('T', ' ')} UTC.`,
      `Input: ${inputText(kept.input)}.`,
      kept.machine,
      ...(load === '' ? [] : [`Load before and after: ${load}.`]),
    ];
    return `${from}\n${head.join('\n')}\n\n${tableLines(rows).join('\n')}\n\n${to}`;
  });
}

const USAGE = `Usage: npm run bench:tables

Writes the tables of docs/benchmarks.md from bench/results.`;

if (import.meta.main) {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help === true) console.log(USAGE);
  else writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8')));
}
