import { describe, expect, it } from 'vitest';
import type { CollectedRow } from '../../../shared/testing/collect.ts';
import { cat } from '../../testing/build.ts';
import { BIND, bindAck, fault, HANDLE, ndr, request, response, rpc } from '../testing/dce-rpc.ts';
import { events, exchange, type Frame } from '../testing/frames.ts';
import {
  AUTHENTICATE,
  CHALLENGE,
  closeFile,
  connect,
  connected,
  framed,
  le,
  open,
  opened,
  readAt,
  readPart,
  transceive,
  transceived,
  writeAt,
  written,
} from '../testing/smb.ts';

async function said(frames: readonly Frame[]): Promise<CollectedRow[]> {
  return (await events(frames)).filter(({ kind }) => kind === 'dce_rpc' || kind === 'ntlm');
}
const told = (rows: readonly CollectedRow[]): unknown[] =>
  rows.map((row) => [row['message'], row['outcome']]);

const CREATE = request(
  ...([0, 12, HANDLE, ndr('service1'), le(4, 1), ndr('A service'), le(4, 1), le(4, 2)] as const),
  ...[le(4, 3), le(4, 4), ndr('cmd.exe /c whoami')],
);
const TASK = request(
  ...([1, 1, le(4, 1), ndr('\\task1'), ndr('<Exec><Command>calc.exe</Command></Exec>')] as const),
);
const BOUND = [rpc(11, 1, BIND), rpc(12, 1, bindAck('49670'))];

describe('over TCP', () => {
  it.each([Infinity, 1])('says calls and their answers (pieces of %s)', async (cut) => {
    const rows = await said(
      exchange(
        49_670,
        [
          ...[...BOUND, rpc(0, 2, CREATE), rpc(2, 2, response())],
          ...[rpc(0, 3, TASK), rpc(3, 3, fault(5)), rpc(0, 4, request(0, 77))],
        ],
        cut,
      ),
    );
    expect(told(rows)).toEqual([
      ['svcctl CreateServiceW service1 cmd.exe /c whoami', 'success'],
      ['ITaskSchedulerService SchRpcRegisterTask \\task1 calc.exe ACCESS_DENIED', 'failure'],
      ['svcctl unknown-77', undefined],
    ]);
    expect(rows[0]?.attrs).toMatchObject({
      ...{ endpoint: 'svcctl', operation: 'CreateServiceW', named_pipe: '49670', opnum: '12' },
      ...{ service_name: 'service1', command: 'cmd.exe /c whoami' },
    });
    expect(rows[1]).toMatchObject({ reason: 'ACCESS_DENIED', service: 'dce_rpc' });
  });

  it('says logins, and reads nothing that is encrypted', async () => {
    const auth = (token: Uint8Array) => ({ level: 6, token });
    const sum = auth(new Uint8Array(16));
    const rows = await said(
      exchange(49_670, [
        rpc(11, 1, BIND, auth(Buffer.from('x'))),
        rpc(12, 1, bindAck('49670'), auth(CHALLENGE)),
        cat(rpc(16, 1, le(4, 0), auth(AUTHENTICATE)), rpc(0, 2, CREATE, sum)),
        rpc(2, 2, response(), sum),
      ]),
    );
    expect(told(rows)).toEqual([
      ['EXAMPLE\\alice HOST1 success', 'success'],
      ['svcctl CreateServiceW', 'success'],
    ]);
    expect(rows[1]).toMatchObject({ user: 'alice', user_domain: 'EXAMPLE' });
    expect(rows[0]).toMatchObject({ kind: 'ntlm', service: 'dce_rpc' });
  });

  it('goes on after a gap', async () => {
    const frames = exchange(49_670, [
      ...[
        ...BOUND,
        rpc(0, 2, CREATE),
        rpc(2, 2, response()),
        rpc(0, 3, TASK),
        rpc(2, 3, response()),
      ],
      rpc(0, 4, CREATE),
    ]);
    const rows = await said(frames.filter((_, at) => at !== 2));
    expect(told(rows)).toEqual([
      ['ITaskSchedulerService SchRpcRegisterTask \\task1 calc.exe', 'success'],
      ['svcctl CreateServiceW service1 cmd.exe /c whoami', undefined],
    ]);
  });

  it('says as much of a command as the first fragment has', async () => {
    const whole = request(
      ...([0, 12, HANDLE, ndr('service1'), le(4, 0), new Uint8Array(16)] as const),
      ndr(`cmd.exe ${'x'.repeat(5000)}`),
    );
    const long = rpc(0, 2, whole.subarray(0, 200));
    const [row] = await said(exchange(49_670, [...BOUND, long]));
    expect(row?.attrs['command']).toMatch(/^cmd\.exe x{10,100}…$/);
    const short = rpc(0, 2, whole);
    const [cut] = await said(exchange(49_670, [...BOUND, short]));
    expect(cut?.attrs['command']).toHaveLength(2049);
  });

  it('names no interface whose binding was not captured', async () => {
    const [row] = await said(exchange(49_670, [rpc(0, 2, CREATE), rpc(2, 2, response())]));
    expect(row?.['message']).toBe('unknown-12');
    expect(row?.attrs).not.toHaveProperty('endpoint');
  });
});

describe('in pipes of SMB', () => {
  const pipe = [
    ...[connect(1, '\\\\server1\\IPC$'), connected(1, 7), framed(open(2, 'svcctl')), opened(2, 0)],
  ];

  it.each([Infinity, 1, 150])('says calls (pieces of %s)', async (cut) => {
    const rows = await said(
      exchange(
        4450,
        [
          ...[...pipe, framed(writeAt(3, 2, 0, rpc(11, 1, BIND))), written(3)],
          ...[framed(readAt(4, 2, 0)), readPart(4, rpc(12, 1, bindAck('\\PIPE\\ntsvcs')))],
          framed(transceive(5, 2, rpc(0, 2, CREATE))),
          ...[transceived(5, rpc(2, 2, response())), framed(closeFile(6, 2)), written(6, 6)],
        ],
        cut,
      ),
    );
    expect(told(rows)).toEqual([['svcctl CreateServiceW service1 cmd.exe /c whoami', 'success']]);
    expect(rows[0]?.attrs['named_pipe']).toBe('\\PIPE\\ntsvcs');
  });

  it('says what was not answered when the pipe is closed', async () => {
    const rows = await said(
      exchange(4450, [
        ...[
          ...pipe,
          framed(writeAt(3, 2, 0, cat(rpc(11, 1, BIND), rpc(0, 2, CREATE)))),
          written(3),
        ],
        ...[framed(closeFile(4, 2)), written(4, 6)],
      ]),
    );
    expect(told(rows)).toEqual([['svcctl CreateServiceW service1 cmd.exe /c whoami', undefined]]);
    expect(rows[0]?.attrs['named_pipe']).toBe('svcctl');
  });
});
