/** For tests: frames of DNP3. */
import { cat } from '../../testing/build.ts';

/** CRC-16/DNP (IEEE 1815), bit by bit, with its polynomial as stated, not reflected. */
function sum(bytes: Uint8Array): Uint8Array {
  const reflect = (value: number, bits: number): number => {
    let out = 0;
    for (let i = 0; i < bits; i++) if ((value & (1 << i)) !== 0) out |= 1 << (bits - 1 - i);
    return out;
  };
  let crc = 0;
  for (const byte of bytes) {
    crc ^= reflect(byte, 8) << 8;
    for (let i = 0; i < 8; i++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x3d65;
    crc &= 0xffff;
  }
  const out = reflect(crc, 16) ^ 0xffff;
  return Uint8Array.of(out & 255, out >>> 8);
}

interface Frame {
  readonly isFromMaster: boolean;
  readonly outstation?: number;
  readonly sequence?: number;
}

/** A message in one frame: function, then its parameters. */
export function dnp3(
  { isFromMaster, outstation = 10, sequence = 0 }: Frame,
  code: number,
  ...content: readonly (Uint8Array | string)[]
): Uint8Array {
  const user = cat(Uint8Array.of(0xc0, 0xc0 | sequence, code), ...content);
  const [to, from] = isFromMaster ? [outstation, 1] : [1, outstation];
  const control = isFromMaster ? 0xc4 : 0x44;
  const header = Uint8Array.of(5, 0x64, user.length + 5, control, to, 0, from, 0);
  const blocks: Uint8Array[] = [header, sum(header)];
  for (let at = 0; at < user.length; at += 16) {
    const block = user.subarray(at, at + 16);
    blocks.push(block, sum(block));
  }
  return cat(...blocks);
}
