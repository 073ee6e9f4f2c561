/** Cases with more segments than files may be open: answered correctly and never called damaged. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { daybook, scratch, type Outcome } from './harness.ts';

const ENTRY = path.resolve(import.meta.dirname, '../../app/cli/daybook.mjs');
const DAYS = 150;
const { folder, remove } = scratch();
afterAll(remove);
const at = (name: string): string => path.join(folder, name);

/** `daybook` with that limit on open files. */
async function limited(files: number, args: readonly string[]): Promise<Outcome> {
  const child = spawn('sh', [
    '-c',
    `ulimit -n ${files} && exec "$0" "$@"`,
    process.execPath,
    ENTRY,
    ...args,
  ]);
  let [out, err] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (out += part.toString()));
  child.stderr.on('data', (part: Buffer) => (err += part.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, out, err };
}

describe.skipIf(process.platform !== 'linux')('more segments than open files', () => {
  beforeAll(async () => {
    const lines: string[] = [];
    for (let day = 0; day < DAYS; day++) {
      const time = new Date(Date.UTC(2024, 0, 1 + day, 12)).toISOString();
      // Enough similar messages for them to be split into templates.
      for (let i = 0; i < 40; i++)
        lines.push(
          `<34>1 ${time} h${i % 3} sshd 12 - - Failed password for root from 10.0.${day % 250}.${i} port ${4000 + i} ssh2`,
        );
      lines.push(`<34>1 ${time} h app 1 - - only once on day ${day}`);
    }
    writeFileSync(at('a.log'), `${lines.join('\n')}\n`);
    // Each day in its own segment, as with days of many events.
    const run = await daybook(['import', at('a.daybook'), at('a.log')], {
      env: { DAYBOOK_DENSE_ROWS: '1' },
    });
    expect(run.status, run.err).toBe(0);
    const segments = readdirSync(at('a.daybook/days'), { recursive: true, encoding: 'utf8' });
    expect(segments.filter((name) => name.endsWith('.duckdb')).length).toBe(DAYS);
  }, 240_000);

  it.each([
    ['sums by a text of cut messages', '* | top 7 message'],
    ['rows of cut messages by another order', 'password | sort message desc | head 30'],
    ['a count of a regular expression', 'message:/port 40[0-3]\\d.*ssh2/ | count'],
    ['groups', '* | stats count() by host'],
  ])(
    '%s',
    async (_what, query) => {
      const args = ['query', at('a.daybook'), query, '--format', 'ndjson', '--path', 'scan'];
      const [few, many] = [await limited(128, args), await daybook(args)];
      expect(many.status, many.err).toBe(0);
      expect(many.out.length).toBeGreaterThan(10);
      expect(few.err).not.toMatch(/damaged|too many/i);
      expect(few.status, few.err).toBe(0);
      expect(few.out).toBe(many.out);
    },
    240_000,
  );
});
