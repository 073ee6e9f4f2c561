/**
 * Four ways to index the text of events, on logs that are unlike: what docs/adr/0010-token-index.md
 * decides by.
 *
 *     node bench/text-index.ts [--lines 200000] [--file LOG] [--only NAME,…] [--json]
 *
 * Every design answers the same questions with the same number of lines, or the run fails. Times are of
 * this thread's processor, so that what else the machine does counts less; the second of two builds and
 * the median of five answers. `shapes` opens and decodes its file for each answer; the others keep
 * what they have in memory.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Design, DESIGNS } from './text-index/designs.ts';
import { type Log, LOGS } from './text-index/logs.ts';

const USAGE = `Usage: node bench/text-index.ts [options]

Builds and asks four indexes of the text of events.

  --lines N     lines of each log (200000)
  --file LOG    the lines of this log instead
  --only NAMES  designs, with commas between: ${DESIGNS.map(({ name }) => name).join(', ')}; without it, all
  --json        print JSON`;

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '200000' },
    file: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

interface Line {
  readonly log: string;
  readonly design: string;
  readonly linesPerSecond: number;
  readonly bytesPerLine: number;
  readonly share: number;
  /** Milliseconds by question. */
  readonly answers: Readonly<Record<string, number>>;
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}

function measure(log: Log, design: Design, folder: string, counts: Map<string, number>): Line {
  let built = design.build(log.lines, folder);
  built.close();
  const start = processorMs();
  built = design.build(log.lines, folder);
  const seconds = (processorMs() - start) / 1000;
  const answers: Record<string, number> = {};
  for (const [name, question] of Object.entries(log.questions)) {
    const times: number[] = [];
    for (let run = 0; run < 5; run++) {
      const from = processorMs();
      // Often enough that the clock's steps do not show.
      let found = 0;
      let repeats = 0;
      do {
        found = built.count(question);
        repeats += 1;
      } while (processorMs() - from < 20);
      times.push((processorMs() - from) / repeats);
      const known = counts.get(name);
      if (known === undefined) counts.set(name, found);
      else if (known !== found) {
        throw new Error(
          `${design.name} finds ${found} lines of ${log.name} for ${name}, not ${known}`,
        );
      }
    }
    answers[name] = median(times);
  }
  built.close();
  const bytes = log.lines.reduce((sum, line) => sum + line.length + 1, 0);
  return {
    log: log.name,
    design: design.name,
    linesPerSecond: log.lines.length / seconds,
    bytesPerLine: built.bytes / log.lines.length,
    share: built.bytes / bytes,
    answers,
  };
}

function print(line: Line): void {
  const answers = Object.entries(line.answers).map(([, ms]) => ms.toFixed(ms < 1 ? 2 : 1));
  console.log(
    `| ${line.log} | ${line.design} | ${Math.round(line.linesPerSecond / 1000)} | ` +
      `${line.bytesPerLine.toFixed(1)} | ${(line.share * 100).toFixed(1)} % | ${answers.join(' | ')} |`,
  );
}

const folder = mkdtempSync(join(tmpdir(), 'daybook-text-index-'));
try {
  const count = Number(values.lines);
  const logs =
    values.file === undefined
      ? LOGS.map((make) => make(count))
      : [LOGS[0]!(1, readFileSync(values.file).toString('latin1').split('\n').slice(0, count))];
  const wanted = values.only?.split(',');
  const lines: Line[] = [];
  if (!values.json) {
    const names = Object.keys(logs[0]!.questions);
    console.log(`| log | design | klines/s | B/line | of the text | ${names.join(' | ')} |`);
    console.log(`|${'---|'.repeat(5 + names.length)}`);
  }
  for (const log of logs) {
    const counts = new Map<string, number>();
    for (const design of DESIGNS) {
      if (wanted !== undefined && !wanted.includes(design.name)) continue;
      const line = measure(log, design, folder, counts);
      lines.push(line);
      if (!values.json) print(line);
    }
    if (!values.json) {
      const found = [...counts].map(([name, lines]) => `${name} ${lines}`).join(', ');
      console.log(`|  | lines found: ${found} |`);
    }
  }
  if (values.json) console.log(JSON.stringify(lines, undefined, 1));
} finally {
  rmSync(folder, { recursive: true });
}
