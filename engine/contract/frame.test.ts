import { describe, expect, it } from 'vitest';
import { memoryPipe } from '../memory-pipe.ts';
import { Connection } from './client.ts';
import { decodeFrame, encodeFrame } from './frame.ts';

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

describe('a connection', () => {
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
