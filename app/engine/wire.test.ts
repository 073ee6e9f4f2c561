import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FRAME, OPEN, TAKEN, takenBytes, takenMessage, wireHead, WireReader } from './wire.ts';

const message = fc.record({
  type: fc.integer({ min: 0, max: 3 }),
  channel: fc.integer({ min: 0, max: 2 ** 30 - 1 }),
  body: fc.uint8Array({ maxLength: 40 }),
});

describe('the wire', () => {
  it('puts messages together however the stream is cut', () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.infiniteStream(fc.nat(20)),
        (all, cuts) => {
          const stream = Buffer.concat(
            all.flatMap(({ type, channel, body }) => [wireHead(type, channel, body.length), body]),
          );
          const found: { type: number; channel: number; body: Uint8Array }[] = [];
          const reader = new WireReader((type, channel, body) =>
            found.push({ type, channel, body }),
          );
          for (let at = 0; at < stream.length;) {
            const to = at + 1 + (cuts.next().value as number);
            reader.push(stream.subarray(at, to));
            at = to;
          }
          expect(found).toEqual(all.map((one) => ({ ...one, body: new Uint8Array(one.body) })));
        },
      ),
    );
  });

  it('carries how much was taken', () => {
    const found: unknown[] = [];
    const reader = new WireReader((...one) => found.push([one[0], one[1], takenBytes(one[2])]));
    reader.push(takenMessage(7, 3_000_000_000));
    expect(found).toEqual([[TAKEN, 7, 3_000_000_000]]);
    expect(takenBytes(new Uint8Array(3))).toBe(0);
  });

  it('refuses a stream that is not its own', () => {
    const reader = new WireReader(() => undefined);
    expect(() => reader.push(Buffer.from('Hello, world'))).toThrow(RangeError);
  });

  it('gives each body a buffer of its own, from its start: typed arrays in it are aligned', () => {
    const bodies: Uint8Array[] = [];
    const reader = new WireReader((_type, _channel, body) => bodies.push(body));
    const one = Buffer.concat([wireHead(OPEN, 1, 0), wireHead(FRAME, 1, 8), Buffer.alloc(8, 1)]);
    reader.push(one);
    one.fill(0);
    expect(bodies[1]).toEqual(new Uint8Array(8).fill(1));
    expect(bodies[1]?.byteOffset).toBe(0);
  });
});
