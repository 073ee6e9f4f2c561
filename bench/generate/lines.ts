/** Logs for questions of memory alone: lines without a time, and few lines on each of many days. */
import { ByteFile, type WrittenFile } from '../../fixtures/evidence/byte-file.ts';
import { dotted } from './dotted.ts';

const FIRST_DAY = Date.UTC(2016, 0, 1);
const DAY_MS = 86_400_000;

export function writeUndated(path: string, lines: number): WrittenFile {
  const file = new ByteFile(path);
  for (let i = 0; i < lines; i++)
    file.text(`worker ${i % 97}: finished job ${i} for ${dotted(0x0a00_0000 + (i % 65_536))}\n`);
  return file.close();
}

export function writeDays(path: string, days: number, linesADay: number): WrittenFile {
  const file = new ByteFile(path);
  for (let i = 0; i < days * linesADay; i++) {
    const at = new Date(FIRST_DAY + Math.floor((i * DAY_MS) / linesADay)).toISOString();
    file.text(`${at} host${i % 9} sshd[${i % 30_000}]: Failed password for root from 192.0.2.7\n`);
  }
  return file.close();
}
