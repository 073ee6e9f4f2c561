/** FTP, SMTP, POP3 and IMAP: dialogues of lines. */
import { describe, expect, it } from 'vitest';
import type { CollectedRow } from '../../shared/testing/collect.ts';
import { dialogue, events, type Frame, stream } from './testing/frames.ts';

async function said(frames: readonly Frame[]): Promise<CollectedRow[]> {
  return (await events(frames)).filter(({ kind }) => kind !== 'flow' && kind !== 'file');
}
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('FTP', () => {
  const session = [
    ...['< 220-Welcome', '< 220 ready', '> USER alice', '< 331 password?', '> PASS secret'],
    ...['< 230 in', '> TYPE I', '< 200 ok', '> RETR a b.txt', '< 150 opening', '< 226 done'],
    ...['> DELE c.txt', '< 550 no such file', '> QUIT', '< 221 bye'],
  ];

  it.each([Infinity, 1])('says logins and files (pieces of %s)', async (cut) => {
    const rows = await said(dialogue(2121, session, cut));
    expect(rows.map((row) => [row.kind, row['event_type'], row['message']])).toEqual([
      ['ftp', 'login', 'login alice → 230 in'],
      ['ftp', 'command', 'RETR a b.txt → 226 done'],
      ['ftp', 'command', 'DELE c.txt → 550 no such file'],
    ]);
    expect(rows[0]).toMatchObject({
      ...{ user: 'alice', outcome: 'success', category: 'authentication', service: 'ftp' },
      attrs: { password: 'secret', reply_msg: '230 in' },
    });
    expect(rows[1]).toMatchObject({ file_path: 'a b.txt', command: 'RETR', user: 'alice' });
    expect(rows[2]).toMatchObject({ outcome: 'failure', reason: 'no such file' });
  });

  it('says a login that was refused, and one that was not answered', async () => {
    const rows = await said(
      dialogue(21, [
        ...['< 220 FTP', '> USER bob', '< 331 ?', '> PASS x', '< 530 no', '> USER eve'],
        ...['< 331 ?', '> PASS y'],
      ]),
    );
    expect(rows.map((row) => [row['user'], row['outcome']])).toEqual([
      ['bob', 'failure'],
      ['eve', undefined],
    ]);
  });
});

describe('SMTP', () => {
  const mail = [
    ...['> MAIL FROM:<alice@example.com> SIZE=9', '< 250 ok', '> RCPT TO:<bob@example.com>'],
    ...['< 250 ok', '> RCPT TO:<carol@example.com>', '< 250 ok', '> DATA', '< 354 go'],
    ...['> From: Alice <alice@example.com>', '> Subject: a long', '>  subject', '> '],
    ...['> Content-Disposition: attachment; filename="a.pdf"', '> ..dot', '> .', '< 250 queued'],
  ];

  it.each([Infinity, 1])('says a mail with its people and files (pieces of %s)', async (cut) => {
    const lines = ['< 220 mail.example.com ESMTP', '> EHLO host1', '< 250-hi', '< 250 X', ...mail];
    const [row, ...more] = await said(dialogue(2525, lines, cut));
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      ...{ kind: 'smtp', event_type: 'mail', email_from: 'alice@example.com', outcome: 'success' },
      ...{ email_to: 'bob@example.com, carol@example.com', email_subject: 'a long subject' },
      attrs: {
        ...{ helo: 'host1', mailfrom: 'alice@example.com', last_reply: '250 queued' },
        rcptto: '["bob@example.com","carol@example.com"]',
        ...{ from: 'Alice <alice@example.com>', subject: 'a long subject', filenames: '["a.pdf"]' },
      },
    });
  });

  it.each<[string, readonly string[], string, string | undefined]>([
    ['PLAIN', [`> AUTH PLAIN ${base64('\0alice\0secret')}`], 'alice', 'secret'],
    ['PLAIN', ['> AUTH PLAIN', '< 334', `> ${base64('\0alice\0secret')}`], 'alice', 'secret'],
    [
      'LOGIN',
      [
        ...['> AUTH LOGIN', `< 334 ${base64('Username:')}`, `> ${base64('alice')}`],
        ...[`< 334 ${base64('Password:')}`, `> ${base64('secret')}`],
      ],
      'alice',
      'secret',
    ],
    [
      'CRAM-MD5',
      ['> AUTH CRAM-MD5', '< 334 PDE=', `> ${base64('alice 0123456789')}`],
      'alice',
      undefined,
    ],
  ])('says a login with %s', async (mechanism, lines, user, password) => {
    const rows = await said(
      dialogue(25, ['< 220 ESMTP', '> EHLO x', '< 250 ok', ...lines, '< 235 in', ...mail]),
    );
    expect(rows.map((row) => row['event_type'])).toEqual(['login', 'mail']);
    expect(rows[0]).toMatchObject({ user, outcome: 'success', attrs: { mechanism } });
    expect(rows[0]?.attrs['password']).toBe(password);
  });

  it('pairs mails and replies where all is sent at once', async () => {
    const one = (n: number): string[] => [
      ...[`> MAIL FROM:<${n}@example.com>`, '> RCPT TO:<bob@example.com>', '> DATA'],
      ...[`> Subject: ${n}`, '> ', '> .'],
    ];
    const replies = ['< 250 a', '< 250 b', '< 354 go'];
    const rows = await said(
      dialogue(25, [
        ...['> EHLO x', ...one(1), ...one(2), '< 250 hi'],
        ...[...replies, '< 250 one', ...replies, '< 550 two'],
      ]),
    );
    expect(rows.map((row) => [row['email_subject'], row.attrs['last_reply']])).toEqual([
      ['1', '250 one'],
      ['2', '550 two'],
    ]);
  });

  it('reads a mail in chunks, and forgets one that is taken back', async () => {
    const text = 'Subject: chunks\r\n\r\nbody';
    const { client, server } = stream(25);
    const sent = `EHLO x\r\nMAIL FROM:<a@example.com>\r\nRSET\r\nMAIL FROM:<b@example.com>\r\nBDAT ${text.length} LAST\r\n${text}`;
    const rows = await said([
      client(1, sent),
      server(1, '250 hi\r\n250 a\r\n250 reset\r\n250 b\r\n250 queued\r\n'),
    ]);
    expect(rows.map((row) => [row['email_from'], row['email_subject'], row['outcome']])).toEqual([
      ['a@example.com', undefined, undefined],
      ['b@example.com', 'chunks', 'success'],
    ]);
  });

  it('goes on with TLS after STARTTLS', async () => {
    const frames = dialogue(25, ['< 220 ESMTP', '> EHLO x', '< 250 ok', '> STARTTLS', '< 220 go']);
    const { client } = stream(25);
    const hello = Uint8Array.of(22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3, ...new Uint8Array(33));
    const rest = Uint8Array.of(0, 2, 0x13, 0x01, 1, 0);
    const rows = await said([...frames, client(19, Uint8Array.of(...hello, ...rest))]);
    expect(rows.map(({ kind }) => kind)).toEqual(['tls']);
  });
});

describe('mailboxes', () => {
  it.each<[string, readonly string[], string, string | undefined, string]>([
    [
      'pop3',
      ['< +OK hi', '> USER alice', '< +OK', '> PASS a b', '< +OK in'],
      'alice',
      'a b',
      'success',
    ],
    [
      'pop3',
      ['< +OK hi', '> USER alice', '< +OK', '> PASS x', '< -ERR no'],
      'alice',
      'x',
      'failure',
    ],
    ['pop3', ['< +OK <1@x>', '> APOP alice 0123', '< +OK'], 'alice', undefined, 'success'],
    [
      'pop3',
      ['< +OK', '> AUTH PLAIN', '< + ', `> ${base64('\0alice\0pw')}`, '< +OK'],
      ...(['alice', 'pw', 'success'] as const),
    ],
    ['imap', ['< * OK hi', '> a1 LOGIN alice "a \\"b"', '< a1 OK in'], 'alice', 'a "b', 'success'],
    [
      'imap',
      ['< * OK hi', '> a1 login alice x', '< * BYE', '< a1 NO bad'],
      'alice',
      'x',
      'failure',
    ],
    [
      'imap',
      ['< * OK', '> 1 LOGIN {5}', '< + go', '> alice {2}', '< + go', '> pw', '< 1 OK'],
      ...(['alice', 'pw', 'success'] as const),
    ],
    [
      'imap',
      ['< * OK', '> 1 AUTHENTICATE PLAIN', '< +', `> ${base64('\0alice\0pw')}`, '< 1 OK'],
      ...(['alice', 'pw', 'success'] as const),
    ],
  ])('say logins of %s: %j', async (kind, lines, user, password, outcome) => {
    const [row, ...more] = await said(dialogue(1100, lines));
    expect(more).toEqual([]);
    expect(row).toMatchObject({ kind, event_type: 'login', user, outcome, service: kind });
    expect(row?.attrs['password']).toBe(password);
  });
});
