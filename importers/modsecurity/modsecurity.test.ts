/** Audit logs of ModSecurity in their serial form. */
import { describe, expect, it } from 'vitest';
import { TS_BASIS } from '../../engine/contract/event.ts';
import { collect as collectInput, inputOf, type Collected } from '../shared/testing/collect.ts';
import { modsecurityImporter } from './index.ts';

const sniffed = (text: string): string | undefined =>
  modsecurityImporter.sniff(Buffer.from(text), { name: 'x', complete: true })?.format;
const collect = (text: string, block?: number): Promise<Collected> =>
  collectInput(modsecurityImporter, inputOf(Buffer.from(text), 'x', block), {
    format: 'modsecurity-audit',
  });

interface Given {
  readonly time?: string;
  readonly ends?: string;
  readonly body?: string;
  readonly edge?: (section: string) => string;
}

function transaction({
  time = '21/Mar/2026:07:58:27.123456 +0200',
  ends = '192.0.2.17 54122 198.51.100.2 443',
  body = 'a=1',
  edge = (section) => `--4b3c2a1d-${section}--`,
}: Given = {}): string {
  return [
    ...[edge('A'), `[${time}] ZGzXwAoAAAoAAAB1 ${ends}`],
    ...[edge('B'), 'POST /upload.php?x=1 HTTP/1.1', 'Host: www.example.com', 'User-Agent: curl/8'],
    ...['Referer: http://www.example.com/', '', edge('C'), body, edge('F')],
    ...['HTTP/1.1 403 Forbidden', 'Content-Type: text/html', '', edge('H')],
    ...['Message: Access denied with code 403 (phase 2). [id "949110"] [msg "Score"]'],
    ...['Message: Warning. [id "920350"]', 'Action: Intercepted (phase 2)', edge('Z'), ''],
  ].join('\n');
}
const LINES = transaction().split('\n').length - 1;
const AT = Date.parse('2026-03-21T05:58:27.123Z') * 1000 + 456;

describe('a transaction', () => {
  it.each([1, 13, 65_536])('is one event, in blocks of %d', async (block) => {
    const text = transaction();
    expect(sniffed(text)).toBe('modsecurity-audit');
    const got = await collect(`${text}\n${text}`, block);
    expect(got.rows).toHaveLength(2);
    expect(got.rows[1]).toMatchObject({
      ...{ kind: 'log', seq: 2, offset: text.length + 1, length: text.length - 1 },
      ...{ ts: AT, ts_digits: 6, ts_basis: 0, tz_offset: 7200 },
      ...{ src_ip4: 0xc0000211, src_port: 54_122, dst_ip4: 0xc6336402, dst_port: 443 },
      ...{ http_method: 'POST', url: '/upload.php?x=1', http_status: '403' },
      ...{ dst_domain: 'www.example.com', user_agent: 'curl/8', category: 'web' },
      ...{ referrer: 'http://www.example.com/', session: 'ZGzXwAoAAAoAAAB1' },
      reason: 'Access denied with code 403 (phase 2). [id "949110"] [msg "Score"]',
      event_code: '949110',
      message: text.slice(0, -1),
    });
    expect(got.read).toBe(2 * LINES + 1);
    expect(got.notes).toEqual([]);
  });

  it('of version 3, with IPv6 and an offset whose minus is doubled', async () => {
    const text = transaction({
      time: '21/Mar/2026:07:58:27 --0500',
      ends: '2001:db8::1 1 2001:db8::2 70000',
      edge: (section) => `---Ab1cD2eF---${section}--`,
    });
    expect(sniffed(text)).toBe('modsecurity-audit');
    const { rows } = await collect(text);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      ...{ ts: Date.parse('2026-03-21T12:58:27Z') * 1000, tz_offset: -18_000, ts_digits: 0 },
      ...{ src_ip6: '20010db8000000000000000000000001', src_port: 1, http_status: '403' },
    });
    expect(rows[0]).not.toHaveProperty('dst_port');
  });

  it('takes nothing of a body for a section', async () => {
    const { rows } = await collect(
      transaction({
        body: `--99999999-F--\nHTTP/1.1 200 OK\n--99999999-H--\nMessage: [id "1"]\n${transaction({
          edge: (section) => `--99999999-${section}--`,
        })}`,
      }),
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ http_status: '403', event_code: '949110' });
  });

  it('of thousands of lines is several events of one time', async () => {
    const { rows, read } = await collect(transaction({ body: 'a\n'.repeat(4000) }));
    expect(rows.map(({ ts, ts_basis, session }) => [ts, ts_basis, session])).toEqual([
      [AT, 0, 'ZGzXwAoAAAoAAAB1'],
      [AT, TS_BASIS.inherited, 'ZGzXwAoAAAoAAAB1'],
      [AT, TS_BASIS.inherited, 'ZGzXwAoAAAoAAAB1'],
    ]);
    expect(read).toBe(LINES + 4000);
  });

  it.each([
    ['+0530', 19_800],
    ['+051800', 19_800],
    ['--03-30', -12_600],
    ['--03-1800', -12_600],
  ])('whose version writes its offset as %s', async (zone, offset) => {
    const text = transaction({ time: `21/Mar/2026:07:58:27 ${zone}` });
    expect(sniffed(text)).toBe('modsecurity-audit');
    expect((await collect(text)).rows[0]).toMatchObject({
      ...{ tz_offset: offset, ts: (Date.parse('2026-03-21T07:58:27Z') / 1000 - offset) * 1e6 },
    });
  });

  it.each([1, 13, 65_536])('is not forged by a long body, in blocks of %d', async (block) => {
    const forged = transaction({ edge: (section) => `--99999999-${section}--` });
    const { rows } = await collect(
      transaction({ body: `${forged}${'a\n'.repeat(4000)}${forged}` }) + transaction(),
      block,
    );
    expect(
      rows.map(({ ts_basis, http_status, offset }) => [ts_basis, http_status, offset]),
    ).toEqual([
      [0, undefined, 0],
      [TS_BASIS.inherited, undefined, expect.any(Number)],
      [TS_BASIS.inherited, '403', expect.any(Number)],
      [0, '403', expect.any(Number)],
    ]);
  });

  it.each([
    ['GET /a?q=<b c> HTTP/1.1', 'GET', '/a?q=<b c>'],
    ['GET /a HTTP/2.0', 'GET', '/a'],
    ['GET /a', 'GET', '/a'],
    ['nonsense', undefined, undefined],
  ])(
    'has of the request %j method and address, of its host the name',
    async (line, method, url) => {
      const { rows } = await collect(
        transaction()
          .replace('POST /upload.php?x=1 HTTP/1.1', line)
          .replace('example.com\n', 'example.com:8443\n'),
      );
      expect([rows[0]!['http_method'], rows[0]!['url']]).toEqual([method, url]);
      expect(rows[0]).toMatchObject({ dst_domain: 'www.example.com' });
    },
  );

  it('has no number of a rule where a message names several', async () => {
    const message = 'Warning. Pattern match "x" at ARGS:a[id "1"]. [id "949110"]';
    const { rows } = await collect(transaction().replace(/Access denied.*/, message));
    expect(rows[0]).toMatchObject({ reason: message });
    expect(rows[0]).not.toHaveProperty('event_code');
  });

  it('goes on after a line that is too long', async () => {
    const got = await collect(transaction({ body: 'x'.repeat(1_100_000) }) + transaction());
    expect(got.rows.map(({ ts, ts_basis, http_status }) => [ts, ts_basis, http_status])).toEqual([
      [AT, 0, undefined],
      [AT, TS_BASIS.inherited, '403'],
      [AT, 0, '403'],
    ]);
    expect(got.read).toBe(2 * LINES + got.quarantined.length - 1);
  });

  it.each([1, 3000])('%d times without an end does not hide others', async (times) => {
    const whole = transaction();
    const head = whole.slice(0, whole.indexOf('--4b3c2a1d-B--'));
    const text = Array.from({ length: times }, (_, i) =>
      head.replace('4b3c2a1d', String(10_000_000 + i)),
    ).join('');
    const { rows } = await collect(text + whole + 'b\n'.repeat(3000) + whole);
    expect(rows.filter(({ http_status }) => http_status === '403')).toHaveLength(2);
    expect(rows.filter(({ session }) => session !== undefined)).toHaveLength(times + 2);
    expect(rows).toHaveLength(times + 2 + 3000);
  });

  it('may have its beginning in another file', async () => {
    const whole = transaction();
    const { rows } = await collect(
      whole.slice(whole.indexOf('--4b3c2a1d-C--')).replace(/--4b3c2a1d-Z--/, '') + whole,
    );
    expect(rows.map(({ ts, http_status }) => [ts, http_status])).toEqual([
      [undefined, '403'],
      [AT, '403'],
    ]);
  });

  it('has no time of a day that there is not, and may have no end', async () => {
    const whole = transaction();
    const { rows, notes } = await collect(
      transaction({ time: '31/Feb/2026:07:58:27 +0000' }) +
        whole.slice(0, whole.indexOf('--4b3c2a1d-F--')) +
        transaction({ edge: (section) => `--5b3c2a1d-${section}--` }),
    );
    expect(rows.map(({ ts, http_status }) => [ts, http_status])).toEqual([
      [undefined, '403'],
      [AT, undefined],
      [AT, '403'],
    ]);
    expect(notes).toEqual(['1 of its transactions has no end']);
  });
});

it.each(['--4b3c2a1d-A--\n--4b3c2a1d-B--\n', '-- a comment\nselect 1;\n', '', '--4b3c2a1d-A--\n'])(
  'does not take %j for such a log',
  (text) => {
    expect(sniffed(text)).toBeUndefined();
  },
);
