/** Files that connections carry. */
import { createHash } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { CollectedRow } from '../../shared/testing/collect.ts';
import { ACK, ascii, cat, ethernet, ip4, n16, tcp } from '../testing/build.ts';
import {
  closeFile,
  connected,
  connect,
  framed,
  open,
  opened,
  readAt,
  readPart,
  writeAt,
  written,
} from './testing/smb.ts';
import {
  CLIENT,
  datagram,
  dialogue,
  events,
  exchange,
  type Frame,
  of,
  SERVER,
  stream,
} from './testing/frames.ts';

const sha256 = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');
const TEXT = 'A text that is compressed well, well, well, well.\n'.repeat(20);

function names(rows: readonly CollectedRow[]): unknown[][] {
  return rows.map((row) => [
    row['event_type'],
    row.attrs['filename'],
    row.attrs['seen_bytes'],
    row['sha256'],
  ]);
}

describe('of HTTP', () => {
  const { client, server } = stream(8080);
  const asked = client(1, 'GET /folder/a.txt?x=1 HTTP/1.1\r\nHost: www.example.com\r\n\r\n');
  const answer = (headers: string, body: Uint8Array): Uint8Array =>
    cat(ascii(`HTTP/1.1 200 OK\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n`), body);

  it.each<[string, Uint8Array]>([
    ['Content-Encoding: gzip', gzipSync(TEXT)],
    ['Content-Type: text/plain', ascii(TEXT)],
  ])('are decoded and hashed (%s)', async (headers, body) => {
    const all = answer(headers, body);
    const rows = await of('file', [
      asked,
      server(1, all.subarray(0, 150)),
      server(151, all.subarray(150)),
    ]);
    expect(names(rows)).toEqual([['download', 'a.txt', '1000', sha256(TEXT)]]);
    expect(rows[0]).toMatchObject({
      ...{ url: 'http://www.example.com/folder/a.txt?x=1', service: 'http', flow_id: 1 },
      attrs: { mime_type: 'text/plain', missing_bytes: '0', is_orig: 'F' },
    });
    expect(rows[0]?.attrs).not.toHaveProperty('problem');
    // The stated size is that of the compressed bytes.
    expect(rows[0]?.attrs['total_bytes']).toBe(headers.includes('gzip') ? undefined : '1000');
  });

  const withoutSums = (bytes: Buffer, size: number): Buffer => bytes.fill(0, bytes.length - size);

  it('are decoded where other bytes follow gzip', async () => {
    const body = answer('Content-Encoding: gzip', cat(gzipSync(TEXT), ascii('rest')));
    const rows = await of('file', [asked, server(1, body)]);
    expect(names(rows)).toEqual([['download', 'a.txt', '1000', sha256(TEXT)]]);
    expect(rows[0]?.attrs['problem']).toBe('its gzip encoding has other bytes after its end');
  });

  it.each<[string, string, Uint8Array, string]>([
    [
      ...(['gzip', 'a wrong checksum', withoutSums(gzipSync(TEXT), 8)] as const),
      'its gzip encoding has a wrong checksum',
    ],
    [
      ...(['deflate', 'a wrong checksum', withoutSums(deflateSync(TEXT), 4)] as const),
      'its deflate encoding has a wrong checksum',
    ],
    [
      ...(['gzip', 'another member whose checksum is wrong'] as const),
      cat(gzipSync(TEXT), withoutSums(gzipSync(TEXT), 8)),
      'cannot be decoded as gzip',
    ],
  ])('are hashed as they were sent where %s has %s', async (encoding, _, bytes, problem) => {
    const body = answer(`Content-Encoding: ${encoding}`, bytes);
    const [row] = await of('file', [asked, server(1, body)]);
    expect(row).toMatchObject({ sha256: sha256(bytes), attrs: { problem } });
  });

  it('are decoded where the transfer is encoded', async () => {
    const zipped = gzipSync(TEXT);
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n';
    const chunk = cat(ascii(`${zipped.length.toString(16)}\r\n`), zipped, ascii('\r\n0\r\n\r\n'));
    const rows = await of('file', [asked, server(1, cat(ascii(head), chunk))]);
    expect(names(rows)).toEqual([['download', 'a.txt', '1000', sha256(TEXT)]]);
  });

  it.each(['compress', 'constructor', 'gzip, br'])(
    'say how they are encoded where that is not known (%s)',
    async (encoding) => {
      const body = answer(`Content-Encoding: ${encoding}`, ascii('abc'));
      const [row] = await of('file', [asked, server(1, body)]);
      expect(row).toMatchObject({
        sha256: sha256('abc'),
        attrs: { problem: `is encoded as ${encoding}`, total_bytes: '3' },
      });
    },
  );

  it('keep their names where the answer comes before their end', async () => {
    const post = 'POST /up/b.bin HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n';
    const to = 1 + post.length;
    const rows = await of('file', [
      ...[client(1, post), server(1, 'HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n')],
      ...[client(to + 20, '0123456789', ACK, 60), server(49, 'x', ACK, to + 30)],
    ]);
    expect(names(rows)).toEqual([['upload', 'b.bin', '10', undefined]]);
    expect(rows[0]?.attrs['problem']).toBe('20 bytes are missing');
  });

  it('say what they lack, and have no hash then', async () => {
    const all = answer('Content-Type: text/plain', ascii(TEXT));
    const cut = [server(1, all.subarray(0, 500)), server(601, all.subarray(600))];
    const [row, ...more] = await of('file', [asked, ...cut, client(100, 'x', ACK, 1 + all.length)]);
    expect(more).toEqual([]);
    expect(row?.['sha256']).toBeUndefined();
    expect(row?.attrs).toMatchObject({
      seen_bytes: '900',
      missing_bytes: '100',
      total_bytes: '1000',
    });
    expect(row?.attrs['problem']).toBe('100 bytes are missing');
  });

  it('stay as they were sent where they cannot be decoded', async () => {
    const body = ascii('no gzip');
    const [row] = await of('file', [asked, server(1, answer('Content-Encoding: gzip', body))]);
    expect(row).toMatchObject({
      sha256: sha256(body),
      attrs: { problem: 'cannot be decoded as gzip' },
    });
  });

  it('are told to be parts where they are', async () => {
    const part = answer('Content-Range: bytes 10-16/100', ascii('seventh'));
    const [row] = await of('file', [asked, server(1, part)]);
    expect(row?.attrs['problem']).toBe('a part of the file: bytes 10-16/100');
    expect(row?.['sha256']).toBeUndefined();
    const all = answer('Content-Range: bytes 0-6/7', ascii('seventh'));
    const [whole] = await of('file', [asked, server(1, all)]);
    expect(whole?.['sha256']).toBe(sha256('seventh'));
  });

  it.each([
    ['attachment; filename="a b.bin"', 'a b.bin'],
    ["attachment; filename=plain.bin; filename*=UTF-8''caf%C3%A9.bin", 'café.bin'],
    ['form-data; name="field"; filename=a b.bin', 'a b.bin'],
  ])('have the name that %s states', async (disposition, name) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Disposition: ${disposition}\r\nContent-Length: 3\r\n\r\n`;
    const rows = await events([asked, server(1, `${head}one`)]);
    expect(rows.filter(({ kind }) => kind !== 'flow').map((row) => row.attrs['filename'])).toEqual([
      name,
      name,
    ]);
  });
});

describe('of mails', () => {
  /** Files of a mail with these lines, and the names that the mail lists. */
  async function filesOf(lines: readonly string[]) {
    const sent = lines.map((line) => `> ${line}`);
    const frames = dialogue(2525, [
      ...['< 220 ESMTP', '> EHLO x', '< 250 ok', '> MAIL FROM:<alice@example.com>', '< 250 ok'],
      ...['> RCPT TO:<bob@example.com>', '< 250 ok', '> DATA', '< 354 go', ...sent, '> .'],
      '< 250 ok',
    ]);
    const rows = await events(frames);
    const files = rows.filter(({ kind }) => kind === 'file');
    const listed = rows.find(({ kind }) => kind === 'smtp')?.attrs['filenames'];
    // The last one is the mail.
    return { files: names(files.slice(0, -1)), listed };
  }
  const mixed = (...parts: readonly (readonly string[])[]): string[] => [
    ...['Content-Type: multipart/mixed; boundary=b1', ''],
    ...parts.flatMap((part) => ['--b1', ...part]),
    '--b1--',
  ];
  const LONG_NAME = `${'name '.repeat(120)}.txt`;

  it.each([
    ['pieces', ['filename*0=one-;', ' filename*1=two..zip'], 'one-two..zip'],
    ['quoted pieces', ['filename*0="a ";', ' filename*1="b;c.txt"'], 'a b;c.txt'],
    [
      'escaped pieces, in any order',
      ['filename*1=" 50%.";', " filename*0*=utf-8''caf%C3%A9;", ' filename*2*=%74xt'],
      'café 50%.txt',
    ],
    ['a piece and the next', ["filename*0*=utf-8''caf%C3;", ' filename*1*=%A9.txt'], 'café.txt'],
    ['more than 255 characters', [`filename="${LONG_NAME}"`], LONG_NAME],
  ])('have names of %s', async (_, [first = '', ...more], name) => {
    const head = [`Content-Disposition: attachment; ${first}`, ...more];
    const { files, listed } = await filesOf(mixed([...head, '', 'content']));
    expect(files).toEqual([['upload', name, '7', sha256('content')]]);
    expect(listed).toBe(JSON.stringify([name]));
  });

  it('need no name where they are attached or are no text', async () => {
    const { files, listed } = await filesOf(
      mixed(
        ['Content-Type: text/plain', '', 'a text'],
        ['Content-Disposition: attachment', '', 'attached'],
        ['Content-Type: application/zip', 'Content-Transfer-Encoding: base64', '', 'UEsD'],
      ),
    );
    expect(files).toEqual([
      ['upload', undefined, '8', sha256('attached')],
      ['upload', undefined, '3', sha256('PK\x03')],
    ]);
    expect(listed).toBeUndefined();
  });

  it('are mails within a mail, and what these have', async () => {
    const within = (boundary: string): string[] => [
      ...['Subject: inner', `Content-Type: multipart/mixed; boundary=${boundary}`, ''],
      ...[`--${boundary}`, 'Content-Disposition: attachment; filename=a.bin', '', 'inner'],
      `--${boundary}--`,
    ];
    const [named, unnamed] = [within('b2'), within('b3')];
    const { files, listed } = await filesOf(
      mixed(
        ['Content-Type: message/rfc822; name="x.eml"', '', ...named],
        ['Content-Type: message/rfc822', '', ...unnamed],
        ['Content-Disposition: attachment; filename=last.txt', '', 'last'],
      ),
    );
    const mail = named.join('\r\n');
    expect(files).toEqual([
      ['upload', 'a.bin', '5', sha256('inner')],
      ['upload', 'x.eml', String(mail.length), sha256(mail)],
      ['upload', 'a.bin', '5', sha256('inner')],
      ['upload', 'last.txt', '4', sha256('last')],
    ]);
    expect(listed).toBe('["x.eml","a.bin","last.txt"]');
    const { files: whole } = await filesOf([
      ...['Content-Type: message/rfc822', 'Content-Disposition: attachment; filename="b.txt"'],
      ...['Content-Transfer-Encoding: base64', ''],
      ...['Content-Disposition: attachment; filename="c.exe"', '', 'program'],
    ]);
    expect(whole.map(([, name]) => name)).toEqual(['c.exe', 'b.txt']);
  });

  it.each([Infinity, 1])('are those that they carry, and the mails (pieces of %s)', async (cut) => {
    const mail = [
      ...[
        'Subject: files',
        'Content-Type: multipart/mixed; boundary="b1"',
        '',
        '--b1',
        '',
        'Hello,',
        '.',
        '',
      ],
      ...[
        '--b1',
        'Content-Type: application/pdf;',
        ' name="a b.pdf"',
        'Content-Transfer-Encoding: base64',
      ],
      ...[
        '',
        Buffer.from('%PDF-1.7 con').toString('base64'),
        Buffer.from('tent').toString('base64'),
        '',
      ],
      ...['--b1', "Content-Disposition: attachment; filename*=utf-8''caf%C3%A9.txt"],
      ...[
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'one=3Dtwo, and =',
        'three',
        '--b1--',
        '',
      ],
    ];
    const sent = mail.map((line) => `> ${line.startsWith('.') ? '.' : ''}${line}`);
    const frames = dialogue(
      2525,
      [
        ...['< 220 ESMTP', '> EHLO x', '< 250 ok', '> MAIL FROM:<alice@example.com>', '< 250 ok'],
        ...[
          '> RCPT TO:<bob@example.com>',
          '< 250 ok',
          '> DATA',
          '< 354 go',
          ...sent,
          '> .',
          '< 250 ok',
        ],
      ],
      cut,
    );
    const rows = await of('file', frames);
    const whole = mail.map((line) => `${line}\r\n`).join('');
    expect(names(rows)).toEqual([
      ['upload', 'a b.pdf', '16', sha256('%PDF-1.7 content')],
      ['upload', 'café.txt', '18', sha256('one=two, and three')],
      ['upload', undefined, String(whole.length), sha256(whole)],
    ]);
    expect(rows[2]?.['message']).toBe(`upload, files, message/rfc822, ${whole.length} bytes`);
    expect(rows.map((row) => row.attrs['mime_type'])).toEqual([
      ...['application/pdf', 'text/plain', 'message/rfc822'],
    ]);
    expect(rows[0]).toMatchObject({
      email_from: 'alice@example.com',
      email_subject: 'files',
      service: 'smtp',
    });
    // Each has the time of its own first byte.
    const [first, second, mails] = rows.map((row) => Number(row['ts']));
    expect([first! < second!, mails! < first!]).toEqual([true, true]);
  });

  const begun = [
    ...['< 220 ESMTP', '> EHLO x', '< 250 ok', '> MAIL FROM:<alice@example.com>', '< 250 ok'],
    ...['> RCPT TO:<bob@example.com>', '< 250 ok', '> DATA', '< 354 go', '> Subject: x', '> '],
  ];

  it.each([Infinity, 1])('end with a dot and a line end only (pieces of %s)', async (cut) => {
    const lines = ['> ..\r', '> .\rmore', '> after', '> .', '< 250 ok', '> QUIT'];
    const rows = await of('file', dialogue(2525, [...begun, ...lines], cut));
    const whole = 'Subject: x\r\n\r\n.\r\r\n\rmore\r\nafter\r\n';
    expect(names(rows)).toEqual([['upload', undefined, String(whole.length), sha256(whole)]]);
  });

  it('keep the dots that follow a gap', async () => {
    const frames = dialogue(2525, [...begun, '> lost', '> .5', '> .', '< 250 ok']);
    // The lost segment, and the two that end the line before it and after it.
    const [row] = await of(
      'file',
      frames.filter((_, at) => at !== begun.length),
    );
    expect(row?.attrs).toMatchObject({ missing_bytes: '6', seen_bytes: '18' });
  });
});

describe('of FTP', () => {
  const login = ['< 220 FTP', '> USER alice', '< 331 ?', '> PASS x', '< 230 in'];
  const data = (
    isFromServer: boolean,
    serverPort: number,
    clientPort: number,
    text: string,
  ): Frame[] => {
    const [src, dst] = isFromServer ? [serverPort, clientPort] : [clientPort, serverPort];
    const [from, to] = isFromServer ? [SERVER, CLIENT] : [CLIENT, SERVER];
    const frame = (seq: number, payload: string, flags: number): Frame =>
      ethernet(
        0x0800,
        ip4(
          { src: from, dst: to, proto: 6 },
          tcp({ src, dst, flags, seq, ack: 0 }, ascii(payload)),
        ),
      );
    return [frame(0, '', 2), frame(1, text, ACK), frame(1 + text.length, '', ACK | 1)];
  };

  it('come over connections that client and server have agreed on', async () => {
    const port = (n: number): string => `${n >>> 8},${n & 255}`;
    const rows = await of('file', [
      ...dialogue(21, [
        ...[...login, '> PASV', `< 227 Entering Passive Mode (10,0,0,1,${port(50_001)})`],
        ...['> RETR folder/a.txt', '< 150 Opening (7 bytes).'],
      ]),
      ...data(true, 50_001, 50_100, 'content'),
    ]);
    expect(names(rows)).toEqual([['download', 'a.txt', '7', sha256('content')]]);
    expect(rows[0]).toMatchObject({
      file_path: 'folder/a.txt',
      user: 'alice',
      service: 'ftp',
      dst_port: 50_001,
    });
    expect(rows[0]?.attrs['total_bytes']).toBe('7');
  });

  it('come where the capture has not the beginning of what agreed on them', async () => {
    const control = dialogue(21, [
      ...['< 250 Directory changed.', '> PASV'],
      `< 227 Entering Passive Mode (10,0,0,1,${50_001 >>> 8},${50_001 & 255})`,
      ...['> RETR folder/a.txt', '< 150 Opening (7 bytes).'],
    ]);
    const rows = await of('file', [...control, ...data(true, 50_001, 50_100, 'content')]);
    expect(names(rows)).toEqual([['download', 'a.txt', '7', sha256('content')]]);
  });

  it('cannot be announced to be connections of others', async () => {
    const port = (n: number): string => `${n >>> 8},${n & 255}`;
    const announced = [
      ...login,
      `> PORT ${SERVER.replaceAll('.', ',')},${port(8080)}`,
      '> RETR a.txt',
    ];
    const { client } = stream(8080);
    const ask = client(1, 'GET / HTTP/1.1\r\nHost: www.example.com\r\n\r\n');
    const rows = await of('http', [...dialogue(21, announced), ask]);
    expect(rows.map((row) => row['url'])).toEqual(['http://www.example.com/']);
  });

  it('are uploads, too, and those that the server connects for; lists of folders are none', async () => {
    const session = [
      ...[
        ...login,
        `> PORT ${CLIENT.replaceAll('.', ',')},195,80`,
        '< 200 ok',
        '> REST 3',
        '< 350 ok',
      ],
      ...['> STOR b.txt', '< 150 go'],
    ];
    const rows = await of('file', [
      ...dialogue(21, session),
      ...data(false, 20, 50_000, 'GET / HTTP/1.1\r\n\r\n'),
    ]);
    // It is a part: its hash would not be the file's.
    expect(names(rows)).toEqual([['upload', 'b.txt', '18', undefined]]);
    expect(rows[0]).toMatchObject({
      src_port: 50_000,
      attrs: { problem: 'the part of the file from byte 3 on' },
    });
    const list = session.map((line) =>
      line.replace('STOR b.txt', 'LIST').replace('REST 3', 'NOOP'),
    );
    const listed = [...dialogue(21, list), ...data(true, 20, 50_000, 'a.txt')];
    expect(await of('file', listed)).toEqual([]);
    expect((await of('flow', listed)).map((row) => row['service'])).toContain('ftp-data');
  });

  it.each([
    ...[['STOR', 0, sha256('abc'), undefined] as const],
    ...[['APPE', 0, undefined, 'the part that is appended to the file'] as const],
    ...[['STOR', 1, undefined, 'its beginning may be missing'] as const],
  ])(
    'have no hash where they may be parts (%s, from frame %s)',
    async (name, from, hash, problem) => {
      const session = [...login, `> PORT ${CLIENT.replaceAll('.', ',')},195,80`, '< 200 ok'];
      const sent = data(false, 20, 50_000, 'abc').slice(from);
      const [row] = await of('file', [...dialogue(21, [...session, `> ${name} b.txt`]), ...sent]);
      expect([row?.['sha256'], row?.attrs['problem']]).toEqual([hash, problem]);
    },
  );
});

describe('of SMB', () => {
  const share = [
    connect(1, '\\\\server1\\share'),
    connected(1, 7),
    framed(open(2, 'a.txt')),
    opened(2, 0),
  ];

  it.each([Infinity, 1, 100])('are put together from what is read (pieces of %s)', async (cut) => {
    const content = Buffer.from('x'.repeat(1234));
    // The second part is answered first.
    const rows = await of('file', [
      ...exchange(
        4450,
        [
          ...[
            ...share,
            framed(readAt(3, 2, 0)),
            new Uint8Array(),
            framed(readAt(4, 2, 1000)),
            new Uint8Array(),
          ],
          ...[new Uint8Array(), readPart(4, content.subarray(1000)), new Uint8Array()],
          ...[readPart(3, content.subarray(0, 1000)), framed(closeFile(5, 2))],
        ],
        cut,
      ),
    ]);
    expect(names(rows)).toEqual([['download', 'a.txt', '1234', sha256(content)]]);
    expect(rows[0]).toMatchObject({
      file_path: '\\\\server1\\share\\a.txt',
      attrs: { total_bytes: '1234' },
    });
  });

  it('are those that are written, and whole once they are closed', async () => {
    const parts = [
      framed(writeAt(3, 2, 0, ascii('abc'))),
      written(3),
      framed(writeAt(4, 2, 3, ascii('def'))),
      written(4),
    ];
    const closing = [framed(closeFile(5, 2)), written(5, 6)];
    const whole = await of('file', exchange(4450, [...share, ...parts, ...closing]));
    expect(names(whole)).toEqual([['upload', 'a.txt', '6', sha256('abcdef')]]);
    const [open_] = await of('file', exchange(4450, [...share, ...parts]));
    expect(open_?.attrs['problem']).toBe('its end is missing');
  });

  it('are not whole where a part of one that was there is written', async () => {
    const old = [...share.slice(0, 3), opened(2, 0, 1)];
    const parts = [framed(writeAt(3, 2, 0, ascii('abc'))), written(3)];
    const closing = [framed(closeFile(5, 2)), written(5, 6)];
    const [row] = await of('file', exchange(4450, [...old, ...parts, ...closing]));
    expect(row).toMatchObject({ attrs: { seen_bytes: '3', problem: 'its end is missing' } });
    expect(row?.['sha256']).toBeUndefined();
  });

  it('are not whole where messages or ends of them are missing', async () => {
    const parts = [
      ...[framed(writeAt(3, 2, 0, ascii('abc'))), written(3)],
      ...[framed(writeAt(4, 2, 3, ascii('def'))), written(4)],
      ...[framed(closeFile(5, 2)), written(5, 6)],
    ];
    const frames = exchange(4450, [...share, ...parts]);
    const lost = await of(
      'file',
      frames.filter((_, at) => at !== share.length + 2),
    );
    expect(names(lost)).toEqual([['upload', 'a.txt', '3', undefined]]);
    expect(lost[0]?.attrs['problem']).toBe('its end is missing');
    const cut = frames.map((frame, at) =>
      at === share.length + 2 ? frame.subarray(0, -2) : frame,
    );
    const [short] = await of('file', cut);
    expect(short?.['sha256']).toBeUndefined();
  });

  it('are not whole where a request to read a part was lost, and their size is not known', async () => {
    const read = (id: number, offset: number, text: string): Uint8Array[] => [
      ...[framed(readAt(id, 2, offset)), readPart(id, ascii(text))],
    ];
    const closing = [framed(closeFile(6, 2)), written(6, 6)];
    const parts = [...read(3, 0, 'abc'), ...read(4, 3, 'def'), ...closing];
    const frames = exchange(4450, parts);
    expect(names(await of('file', frames))).toEqual([
      ['download', undefined, '6', sha256('abcdef')],
    ]);
    const lost = await of('file', [...frames.slice(0, 2), ...frames.slice(3)]);
    expect(names(lost)).toEqual([['download', undefined, '3', undefined]]);
    expect(lost[0]?.attrs['problem']).toBe('its end is missing');
  });

  it('grow by what is written to them', async () => {
    const old = [...share.slice(0, 3), opened(2, 0, 1)];
    const content = Buffer.from('x'.repeat(1234));
    const rows = await of(
      'file',
      exchange(4450, [
        ...[...old, framed(writeAt(3, 2, 1234, ascii('abc'))), written(3)],
        ...[framed(readAt(4, 2, 0)), readPart(4, content)],
        ...[framed(readAt(5, 2, 1234)), readPart(5, ascii('abc'))],
        ...[framed(closeFile(6, 2)), written(6, 6)],
      ]),
    );
    const read = rows.find((row) => row['event_type'] === 'download');
    expect(read).toMatchObject({
      sha256: sha256(`${content.toString()}abc`),
      attrs: { total_bytes: '1237' },
    });
  });

  it('are not what is written to pipes', async () => {
    const pipe = [connect(1, '\\\\server1\\IPC$'), ...share.slice(1)];
    const parts = [framed(writeAt(3, 2, 0, ascii('abc'))), written(3)];
    expect(await of('file', exchange(4450, [...pipe, ...parts]))).toEqual([]);
  });
});

it('of TFTP are read block by block, each once', async () => {
  const block = (n: number, size: number): Frame =>
    datagram(false, 3000, cat(n16(3), n16(n), new Uint8Array(size).fill(97)));
  const request = datagram(true, 69, cat(n16(1), ascii('boot.cfg\0octet\0')));
  const rows = await of('file', [request, block(1, 512), block(1, 512), block(2, 10)]);
  expect(names(rows)).toEqual([['download', 'boot.cfg', '522', sha256('a'.repeat(522))]]);
  const [lost] = await of('file', [request, block(2, 10)]);
  expect(lost?.attrs['problem']).toBe('512 bytes are missing');
  // Datagrams that the capture cuts are neither the last ones nor whole.
  const [cut] = await of('file', [request, block(1, 512), block(2, 10)], 14 + 20 + 8 + 4 + 100);
  expect(cut?.attrs).toMatchObject({ seen_bytes: '110', missing_bytes: '412' });
  // Smaller blocks are requested, and the agreement was not captured.
  const small = datagram(
    true,
    69,
    cat(n16(1), ascii(['boot.cfg', 'octet', 'blksize', '256', ''].join('\0'))),
  );
  const [short] = await of('file', [small, block(1, 256), block(2, 10)]);
  expect(short?.['sha256']).toBeUndefined();
});
