/**
 * Hostile evidence: every place that takes text, names of files included, contains text that a careless window
 * would execute, interpret or be broken by.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Sets `window.pwned` if it is ever interpreted as markup. */
const MARKUP =
  '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script><svg onload=alert(1)>';
/** Reverses the direction of the following text, rings the bell, colours a terminal, hides. */
const HIDDEN = '\u202e\u0007\u001b[31m\u200b\u2066';
export const HOSTILE = `"'>${MARKUP}{{7*7}}javascript:alert(1)=cmd|calc!A1 ${HIDDEN}txt.exe`;
/** As a file name: without characters that end one, or separate folders. */
export const HOSTILE_NAME = `<img src=x onerror=window.pwned=1>&amp;\u202egpj.`;
/** As a word of a syslog header. */
const HOSTILE_WORD = `<img/src=x/onerror=window.pwned=1>\u202e`;

const LONG_LINE = 1_000_000;
const MANY_ATTRIBUTES = 10_000;

interface HostileEvidence {
  readonly folder: string;
  readonly log: string;
  readonly table: string;
  readonly records: string;
}

const stamp = (second: number): string => `2026-11-20T10:00:${String(second).padStart(2, '0')}Z`;

/** Writes a log, a table and a file of JSON records below `parent`. */
export function writeHostileEvidence(parent: string): HostileEvidence {
  const folder = path.join(parent, `evidence ${HOSTILE_NAME}`);
  mkdirSync(folder, { recursive: true });
  const write = (ending: string, lines: readonly string[]): string => {
    const file = path.join(folder, `${HOSTILE_NAME}${ending}`);
    writeFileSync(file, `${lines.join('\n')}\n`);
    return file;
  };
  const header = (second: number): string =>
    `<13>1 ${stamp(second)} ${HOSTILE_WORD} ${HOSTILE_WORD} 7 - `;
  const parameters = Array.from(
    { length: 50 },
    (_, at) => `p${at}="<script>window.pwned=1</script>${at}"`,
  );
  const log = [
    ...Array.from({ length: 20 }, (_, at) => `${header(at)}- ${HOSTILE}`),
    `${header(30)}[x@1 ${parameters.join(' ')}] ${HOSTILE}`,
    `${header(31)}- ${MARKUP}${'<b>A'.repeat(LONG_LINE / 4)}`,
  ];

  const quoted = `"${HOSTILE.replaceAll('"', '""')}"`;
  const names = 'ts,src_ip,dst_ip,src_port,dst_port,proto,bytes,host,program,message';
  const table = [
    `${names},${quoted}`,
    ...Array.from({ length: 40 }, (_, at) => {
      const flow = `10.0.0.${at % 4},192.0.2.${at % 5},${40000 + at},443,tcp,${1000 + at}`;
      return `${stamp(at)},${flow},${quoted},${quoted},${quoted},${quoted}`;
    }),
    // With another number of columns: for the quarantine.
    `${stamp(50)},${quoted}`,
    `${stamp(51)},${quoted},${quoted}`,
  ];

  const wide = Object.fromEntries(
    Array.from({ length: MANY_ATTRIBUTES }, (_, at) => [`<b>${at}</b>`, HOSTILE]),
  );
  const records = [
    { ts: stamp(1), host: HOSTILE, message: HOSTILE, [HOSTILE]: HOSTILE, __proto__x: MARKUP },
    { ts: stamp(2), host: HOSTILE, message: `wide ${HOSTILE}`, ...wide },
    { ts: stamp(3), host: 'a', message: 'z', constructor: MARKUP, toString: MARKUP },
  ].map((record) => JSON.stringify(record));
  return {
    folder,
    log: write('log', log),
    table: write('csv', table),
    records: write('json', records),
  };
}
