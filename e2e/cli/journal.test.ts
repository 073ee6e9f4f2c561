/**
 * Journals written by systemd, compared with journalctl's exports of them. Needs journalctl and
 * systemd-journal-remote, which write and read journals without a running systemd.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { daybook, ledgerLines, ndjson, scratch } from './harness.ts';

const REMOTE = '/lib/systemd/systemd-journal-remote';
const hasTools = existsSync(REMOTE) && existsSync('/usr/bin/journalctl');

/** Entries in the form of an export, with values that are text, lines, bytes, long and short. */
function exported(): Buffer {
  const parts: Buffer[] = [];
  const field = (name: string, value: string | Buffer): void => {
    const bytes = Buffer.from(value);
    if (name !== 'MESSAGE') {
      parts.push(Buffer.from(`${name}=`), bytes, Buffer.from('\n'));
      return;
    }
    const size = Buffer.alloc(8);
    size.writeUInt32LE(bytes.length);
    parts.push(Buffer.from(`${name}\n`), size, bytes, Buffer.from('\n'));
  };
  for (let i = 0; i < 400; i++) {
    field('__REALTIME_TIMESTAMP', String(1_790_000_000_000_000 + i * 1_234_567));
    field('__MONOTONIC_TIMESTAMP', String(i * 1_234_567));
    field('_BOOT_ID', 'ab'.repeat(16));
    field('PRIORITY', String(i % 8));
    field('_HOSTNAME', 'host1');
    field('SYSLOG_IDENTIFIER', ['sshd', 'cron', 'kernel'][i % 3]!);
    field('_PID', String(1000 + i));
    if (i % 7 === 0) field('TAG', 'a');
    if (i % 7 === 0) field('TAG', 'b');
    const messages = [
      `Failed password for root from 192.0.2.${i % 250} port ${20_000 + i} ssh2`,
      `Grüße\tvon 日本 ${'x'.repeat(i * 10)}`,
      `line one\nline ${i}`,
      Buffer.from(Array.from({ length: i }, (_, n) => (n * 31 + i) & 255)),
      `\u001b[31mred\u001b[0m \u0085 ${i} \ufdd0`,
    ];
    field('MESSAGE', messages[i % messages.length]!);
    parts.push(Buffer.from('\n'));
  }
  return Buffer.concat(parts);
}

describe.skipIf(!hasTools)('journals of systemd (skipped without systemd-journal-remote)', () => {
  it.each([
    { compact: '0', keyed: '0', compress: 'no' },
    { compact: '1', keyed: '1', compress: 'yes' },
  ])('have the events of their exports, with %o', async ({ compact, keyed, compress }) => {
    const { folder, remove } = scratch();
    try {
      const at = (name: string): string => path.join(folder, name);
      writeFileSync(at('in.export'), exported());
      const env = { ...process.env, SYSTEMD_JOURNAL_COMPACT: compact };
      execFileSync(REMOTE, [`--compress=${compress}`, '-o', at('a.journal'), at('in.export')], {
        env: { ...env, SYSTEMD_JOURNAL_KEYED_HASH: keyed },
        stdio: 'ignore',
      });
      const form = ['--file', at('a.journal'), '-o', 'export'];
      writeFileSync(at('a.export'), execFileSync('journalctl', form, { maxBuffer: 1 << 28 }));
      const stored = async (name: string, file: string): Promise<object> => {
        const run = await daybook(['import', at(name), at(file), '--json']);
        expect(run.status, run.err).toBe(0);
        return ledgerLines(run).total.total;
      };
      expect(await stored('a.daybook', 'a.journal')).toMatchObject({ read: 400, stored: 400 });
      expect(await stored('b.daybook', 'a.export')).toMatchObject({ read: 400, stored: 400 });
      const rows = async (name: string): Promise<unknown[]> =>
        ndjson<Record<string, unknown>>(
          await daybook(['query', at(name), '*', '--limit', '500', '--format', 'ndjson']),
        ).map((row) => ({ ...row, ...{ id: 0, offset: 0, length: 0, source: '' } }));
      const ofJournal = await rows('a.daybook');
      expect(ofJournal).toHaveLength(400);
      expect(ofJournal).toEqual(await rows('b.daybook'));
      expect(await stored('a.daybook', 'a.export')).toMatchObject({ stored: 0, duplicate: 400 });
    } finally {
      remove();
    }
  });
});
