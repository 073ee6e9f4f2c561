/** Lines of a W3C log state the columns that its heading names. */
import { expect, it } from 'vitest';
import { TS_BASIS } from '../../engine/contract/event.ts';
import { collect, inputOf } from '../shared/testing/collect.ts';
import { syslogImporter } from './index.ts';

async function rowsOf(text: string): Promise<Record<string, unknown>[]> {
  const { rows } = await collect(syslogImporter, inputOf(new TextEncoder().encode(text)));
  return rows;
}

const ip4 = (text: string): number =>
  text.split('.').reduce((all, part) => all * 256 + Number(part), 0);

it('reads the columns of IIS, of each heading its own', async () => {
  const rows = await rowsOf(
    [
      '#Software: Microsoft Internet Information Services 10.0',
      '#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status time-taken',
      '2026-03-01 10:00:00 198.51.100.5 GET /a q=1 443 EXAMPLE\\alice 192.0.2.17 curl/8.5.0 200 15',
      '2026-03-01 10:00:01 198.51.100.5 GET /b - 443 - 2001:db8::17 - 404 3',
      '2026-03-01 10:00:02 198.51.100.5 GET /too few 443',
      '#Fields: date time c-ip sc-status',
      '2026-03-01 10:00:03 192.0.2.18 500',
      '',
    ].join('\n'),
  );
  expect(rows).toHaveLength(4);
  expect(rows[0]).toMatchObject({
    ts: Date.UTC(2026, 2, 1, 10) * 1000,
    ts_basis: 0,
    src_ip4: ip4('192.0.2.17'),
    dst_ip4: ip4('198.51.100.5'),
    dst_port: 443,
    user: 'alice',
    user_domain: 'EXAMPLE',
    http_method: 'GET',
    url: '/a',
    http_status: '200',
    user_agent: 'curl/8.5.0',
    attrs: { 'cs-uri-query': 'q=1', 'time-taken': '15' },
  });
  expect(rows[1]).toMatchObject({
    src_ip6: '20010db8000000000000000000000017',
    http_status: '404',
  });
  expect(rows[1]).not.toHaveProperty('user');
  expect(rows[2]).not.toHaveProperty('dst_ip4');
  expect(rows[2]?.['message']).toBe('198.51.100.5 GET /too few 443');
  expect(rows[3]).toMatchObject({ src_ip4: ip4('192.0.2.18'), http_status: '500' });
  expect(rows[3]).not.toHaveProperty('dst_ip4');
});

it('reads what a proxy was asked for by the best of its columns, and no status where none was', async () => {
  const rows = await rowsOf(
    [
      '#Fields: date time c-ip sc-status cs-host cs-uri-path cs-userdn s-ip',
      '2026-03-01 10:00:00 192.0.2.17 200 www.example.com /a alice 198.51.100.5',
      '2026-03-01 10:00:01 192.0.2.17 0 www.example.com / bob 198.51.100.5',
      '#Fields: date time c-ip sc-status cs-uri cs-uri-path',
      '2026-03-01 10:00:02 192.0.2.17 000 http://www.example.com/a /a',
      '2026-03-01 10:00:03 192.0.2.17 000 - /b',
      '',
    ].join('\n'),
  );
  expect(rows[0]).toMatchObject({ url: '/a', http_status: '200', user: 'alice' });
  expect(rows[1]).toMatchObject({ url: '/', user: 'bob' });
  expect(rows[2]).toMatchObject({
    url: 'http://www.example.com/a',
    attrs: { 'cs-uri-path': '/a' },
  });
  expect(rows[3]).toMatchObject({ url: '/b' });
  for (const row of rows.slice(1)) expect(row).not.toHaveProperty('http_status');
});

it('reads columns between TABs under a heading with blanks', async () => {
  const [row] = await rowsOf(
    '#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status\n' +
      '2026-03-12\t15:22:28\tCDG50-P2\t703\t192.0.2.17\tGET\td1.example.com\t/a\t400\n',
  );
  expect(row).toMatchObject({
    src_ip4: ip4('192.0.2.17'),
    bytes: 703,
    dst_domain: 'd1.example.com',
    http_status: '400',
    attrs: { 'x-edge-location': 'CDG50-P2' },
  });
});

it('reads columns between commas, and addresses with ports', async () => {
  const [row] = await rowsOf(
    '#Software: Microsoft Exchange Server\n#Fields: date-time,connector-id,session-id,sequence-number,local-endpoint,remote-endpoint,event,data,context\n' +
      '2026-07-20T21:12:06.270Z,MX\\Default,08DA4F7C11473A60,9,198.51.100.5:25,[2001:db8::17]:53722,>,"535 5.7.3, unsuccessful",\n',
  );
  expect(row).toMatchObject({
    dst_ip4: ip4('198.51.100.5'),
    dst_port: 25,
    src_ip6: '20010db8000000000000000000000017',
    src_port: 53722,
    attrs: { data: '535 5.7.3, unsuccessful', 'session-id': '08DA4F7C11473A60' },
  });
});

it('reads the log of Windows Firewall', async () => {
  const [row] = await rowsOf(
    '#Version: 1.5\n#Software: Microsoft Windows Firewall\n#Time Format: Local\n#Fields: date time action protocol src-ip dst-ip src-port dst-port size\n\n' +
      '2026-03-01 10:00:00 DROP TCP 192.0.2.17 198.51.100.5 40112 445 52\n',
  );
  expect(row).toMatchObject({
    ts_basis: TS_BASIS.zoneDecided,
    action: 'DROP',
    proto: 6,
    src_ip4: ip4('192.0.2.17'),
    dst_ip4: ip4('198.51.100.5'),
    src_port: 40112,
    dst_port: 445,
    attrs: { size: '52' },
  });
});

it('takes the writer of a log of Exchange, which is the client where it sends', async () => {
  const rows = await rowsOf(
    '#Software: Microsoft Exchange Server\n#Fields: date-time,client-ip,client-hostname,server-ip,server-hostname,source,event-id,recipient-address,message-subject,sender-address,original-client-ip\n' +
      '2026-12-03T10:00:00.123Z,198.51.100.2,FE1,198.51.100.1,EX1,SMTP,RECEIVE,bob@example.net,"Hello, world",alice@example.org,192.0.2.17\n' +
      '2026-12-03T10:00:02.123Z,198.51.100.1,EX1,203.0.113.25,mx.example.net,SMTP,SEND,carol@example.net,Hi,alice@example.org,192.0.2.20\n',
  );
  expect(rows[0]).toMatchObject({
    ...{ host: 'EX1', src_ip4: ip4('192.0.2.17'), dst_ip4: ip4('198.51.100.1') },
    ...{ email_from: 'alice@example.org', email_to: 'bob@example.net' },
    email_subject: 'Hello, world',
  });
  expect(rows[1]).toMatchObject({
    ...{ host: 'EX1', src_ip4: ip4('198.51.100.1'), dst_ip4: ip4('203.0.113.25') },
    ...{ dst_domain: 'mx.example.net', attrs: { 'original-client-ip': '192.0.2.20' } },
  });
});

it('reads a subject with quotes, which its sender chose', async () => {
  const heading = '#Fields: date-time,client-ip,event-id,message-subject,sender-address\n';
  const subjects = ['"""a"", b"', '"a ""b"""', '""', '"a "" b"'];
  const rows = await rowsOf(
    heading +
      subjects
        .map((subject, i) => `2026-12-03T10:00:0${i}.123Z,192.0.2.17,RECEIVE,${subject},a@b.c\n`)
        .join(''),
  );
  expect(rows.map((row) => row['email_subject'])).toEqual(['"a", b', 'a "b"', undefined, 'a " b']);
  expect(rows.map((row) => row['email_from'])).toEqual(subjects.map(() => 'a@b.c'));
});

it('counts every heading of a log of Exchange as one', async () => {
  const rows = await rowsOf(
    '#Software: Microsoft Exchange Server\n#Version: 15.02.0000.000\n#Log-type: Message Tracking Log\n' +
      '#Date: 2026-12-03T10:00:00.000Z\n#Fields: date-time,client-ip,event-id\n' +
      '2026-12-03T10:00:00.123Z,192.0.2.17,RECEIVE\n',
  );
  expect(rows.map(({ message }) => message)).toEqual(['192.0.2.17,RECEIVE']);
});
