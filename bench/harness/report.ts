/**
 * The results of an experiment: rows of one measure each, with a cell for every program. Printed as one table; each
 * cell says next to its figure how many times better Daybook is.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { PROGRAM, ROOT } from './program.ts';

/** Where results are kept. */
export const RESULTS = join(ROOT, 'bench/out');

/** The program that the others are compared with. */
export const DAYBOOK = 'Daybook';
/** Daybook's fallback: neither catalog nor rollups nor indexes. */
export const DAYBOOK_SCAN = 'Daybook, scanning';

export interface Cell {
  readonly value: number;
  /** Every run, in the order in which they were made. */
  readonly runs?: readonly number[];
  /** A note needed to read the figure. */
  readonly note?: string;
}

export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly better: 'less' | 'more';
  readonly cells: Map<string, Cell>;
}

/** A report as it is kept. */
export interface KeptReport {
  readonly input: Readonly<Record<string, unknown>>;
  readonly at: string;
  readonly machine: string;
  /** The npm script, with its arguments. */
  readonly script?: string;
  readonly command: string;
  readonly commit: string;
  readonly load: readonly number[];
  readonly notes: readonly string[];
  readonly rows: readonly KeptRow[];
}

export type KeptRow = Omit<Row, 'cells'> & { readonly cells: Readonly<Record<string, Cell>> };

interface ReportOptions {
  /** The folder that the raw figures are kept in. */
  readonly results?: string;
  /** The npm script that makes it. */
  readonly script?: string;
}

export class Report {
  readonly experiment: string;
  readonly input: Record<string, unknown>;
  readonly rows: Row[] = [];
  /** The commands that were run, by program. */
  readonly commands: Record<string, string> = {};
  readonly versions: Record<string, string> = {};
  readonly notes: string[] = [];
  private readonly started = new Date();
  private readonly commit = commit();
  private readonly loadBefore = loadavg()[0] ?? 0;

  private readonly results: string;
  private readonly script: string;

  constructor(
    experiment: string,
    input: Record<string, unknown>,
    { results = RESULTS, script = 'bench' }: ReportOptions = {},
  ) {
    this.results = results;
    this.script = script;
    this.experiment = experiment;
    this.input = input;
  }

  /** Sets one figure; its row is added at first use. */
  add(
    name: string,
    unit: string,
    program: string,
    cell: Cell,
    better: 'less' | 'more' = 'less',
  ): void {
    let row = this.rows.find((one) => one.name === name && one.unit === unit);
    if (row === undefined) {
      row = { name, unit, better, cells: new Map() };
      this.rows.push(row);
    }
    row.cells.set(program, cell);
    const runs = cell.runs === undefined ? '' : ` (${cell.runs.map(figure).join(' ')})`;
    console.error(`${name}: ${program} ${figure(cell.value)} ${unit}${runs}`);
    // An interrupted run keeps the figures it has.
    this.write();
  }

  note(text: string): void {
    this.notes.push(text);
    console.error(text);
  }

  print(): void {
    console.log(`\n### ${this.experiment}: ${inputText(this.input)}\n\n${machineText()}`);
    console.log(
      `Load of the machine before and after: ${this.loadBefore.toFixed(1)}, ${(loadavg()[0] ?? 0).toFixed(1)}.`,
    );
    console.log('`×n`: Daybook is n times ahead; below 1 it is behind.\n');
    for (const line of tableLines(this.rows)) console.log(line);
    console.log('');
    for (const note of this.notes) console.log(`- ${note}`);
    const versions = Object.entries(this.versions).map(([name, text]) => `${name} ${text}`);
    if (versions.length > 0) console.log(`- Versions: ${versions.join('; ')}.`);
  }

  /** Keeps everything as JSON; returns where. */
  write(): string {
    mkdirSync(this.results, { recursive: true });
    const path = join(this.results, `${this.experiment}.json`);
    const { experiment, input, versions, commands, notes, script } = this;
    const rows = this.rows.map(({ cells, ...row }) => ({
      ...row,
      cells: Object.fromEntries(cells),
    }));
    const document = {
      ...{ experiment, input, at: this.started.toISOString(), machine: machineText() },
      ...{ script, command: process.argv.slice(2).join(' '), commit: this.commit },
      ...{ load: [this.loadBefore, loadavg()[0]], versions, commands, notes, rows },
    };
    writeFileSync(path, `${JSON.stringify(document, undefined, 2)}\n`);
    return path;
  }
}

/** The rows as a Markdown table: a column for every program, Daybook first. */
export function tableLines(rows: readonly Row[]): string[] {
  const programs = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
  programs.sort((a, b) => Number(b === DAYBOOK) - Number(a === DAYBOOK));
  return [
    `| what | unit | ${programs.join(' | ')} |`,
    `|---|---|${programs.map(() => '---:|').join('')}`,
    ...rows.map((row) => {
      const cells = programs.map((program) => cellText(row, program));
      return `| ${row.name} | ${row.unit} | ${cells.join(' | ')} |`;
    }),
  ];
}

function cellText({ cells, better }: Row, program: string): string {
  const cell = cells.get(program);
  if (cell === undefined) return '';
  const ours = cells.get(DAYBOOK)?.value;
  const note = cell.note === undefined ? '' : ` (${cell.note})`;
  if (program === DAYBOOK || ours === undefined || ours <= 0 || cell.value <= 0)
    return `${figure(cell.value)}${note}`;
  const ahead = better === 'less' ? cell.value / ours : ours / cell.value;
  return `${figure(cell.value)} ×${figure(ahead)}${note}`;
}

/** Three digits that count, thousands apart. */
export function figure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  if (value === 0) return '0';
  return String(Number(value.toPrecision(value < 10 ? 2 : 3)));
}

/** The input of an experiment, in words. */
export function inputText(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(
      ([name, value]) =>
        `${name} ${typeof value === 'number' ? value.toLocaleString('en-US') : String(value)}`,
    )
    .join(', ');
}

function machineText(): string {
  return `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}.`;
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: PROGRAM,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}
