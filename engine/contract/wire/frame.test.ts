import { describe, expect, it } from 'vitest';
import { memoryPipe } from '../../testing/memory-pipe.ts';
import { Connection } from './client.ts';
import { decodeFrame, encodeFrame, MAX_CALL_HEAD_BYTES } from './frame.ts';

const FRAME = {
  frame: 'part',
  id: 7,
  part: { times: Float64Array.of(1.5, -2, 1e15), counts: Uint32Array.of(1, 2), text: 'größe ✓' },
} as const;

describe('frames', () => {
  it('are read wherever they lie in what was received', () => {
    const bytes = encodeFrame(FRAME);
    for (let offset = 0; offset < 9; offset++) {
      const received = Buffer.alloc(bytes.length + offset + 3);
      received.set(bytes, offset);
      const here = received.subarray(offset, offset + bytes.length);
      expect(decodeFrame(here), `at ${offset}`).toEqual(FRAME);
      expect(decodeFrame(new Uint8Array(here.buffer, here.byteOffset, here.length))).toEqual(FRAME);
    }
  });
});

it('is refused where its head is longer than a call may have, or nested without end', () => {
  const call = (params: unknown) => encodeFrame({ frame: 'call', id: 1, op: 'x', params });
  const long = call({ text: 'x'.repeat(MAX_CALL_HEAD_BYTES) });
  expect(() => decodeFrame(long, MAX_CALL_HEAD_BYTES)).toThrow(/at most 1048576/);
  expect(decodeFrame(call({ bytes: new Uint8Array(2 << 20) }), MAX_CALL_HEAD_BYTES)).toMatchObject({
    params: { bytes: { length: 2 << 20 } },
  });
  let deep: unknown = 1;
  for (let i = 0; i < 100; i++) deep = [deep];
  expect(() => decodeFrame(call(deep))).toThrow(RangeError);
});

describe('a connection', () => {
  it('says itself that a call is too large, and goes on', async () => {
    const [ours, theirs] = memoryPipe();
    const connection = new Connection(ours);
    const sent: unknown[] = [];
    theirs.onFrame((bytes) => sent.push(decodeFrame(bytes)));
    const items = Array.from({ length: 10_000 }, (_, i) => ({ path: `/e/${i}`.padEnd(200, 'x') }));
    await expect(connection.call('import.start', { case: '/x', items })).rejects.toMatchObject({
      info: { code: 'limit-exceeded' },
    });
    expect(sent).toEqual([]);
    expect(connection.state.state).not.toBe('down');
  });

  it('fails what waits when a frame cannot be read', async () => {
    const [ours, theirs] = memoryPipe();
    const connection = new Connection(ours);
    theirs.onFrame(() => theirs.send(Uint8Array.of(9, 0, 0, 0, 1)));
    await expect(connection.call('engine.info', {})).rejects.toMatchObject({
      info: { code: 'engine-down' },
    });
    expect(connection.state.state).toBe('down');
    expect(connection.state.reason).toMatch(/cannot be read/);
    await expect(connection.call('engine.info', {})).rejects.toThrow(/cannot be read/);
  });
});
