import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SourceError } from '../../../engine/contract/errors.ts';
import { LOCKED, NOT_UNLOCKED } from '../../../engine/contract/left-out.ts';
import { DEFAULT_LIMITS } from '../decompress/decompress.ts';
import { ARCHIVES, CONTENT } from '../testing/encrypted-zips.ts';
import { type ZipMember, zipMembers } from './zip.ts';

async function onlyMember(bytes: Buffer, passwords: readonly string[]): Promise<ZipMember> {
  for await (const member of zipMembers(
    { bytes },
    () => DEFAULT_LIMITS,
    () => passwords,
  ))
    return member;
  throw new Error('it has no member');
}

async function read(bytes: Buffer, passwords: readonly string[]): Promise<string> {
  for await (const member of zipMembers(
    { bytes },
    () => DEFAULT_LIMITS,
    () => passwords,
  )) {
    const blocks: Uint8Array[] = [];
    for await (const block of member.blocks()) blocks.push(block);
    return Buffer.concat(blocks).toString();
  }
  throw new Error('it has no member');
}

/** Start of the member's bytes, after its local header. */
function dataOf(bytes: Buffer): { start: number; size: number } {
  const directory = bytes.indexOf(Buffer.from('504b0102', 'hex'));
  const start = 30 + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
  return { start, size: bytes.readUInt32LE(directory + 20) };
}

describe.each(ARCHIVES)('$name', ({ encryption, password, bytes }) => {
  it('is read with its password', async () => {
    const member = await onlyMember(bytes, [password]);
    expect([member.type, member.encryption]).toEqual(['file', encryption]);
    expect(await read(bytes, [password])).toBe(CONTENT);
  });

  it('is read with its password among others', async () => {
    const others = Array.from({ length: 600 }, (_, i) => `other ${i}`);
    expect(await read(bytes, [...others, password])).toBe(CONTENT);
  });

  it('is not read without, or with another one', async () => {
    expect((await onlyMember(bytes, [])).type).toEqual({ reason: LOCKED });
    expect((await onlyMember(bytes, ['another'])).type).toEqual({
      ...{ reason: NOT_UNLOCKED, failed: true },
    });
  });

  it('is never whole if one of its bytes was changed', async () => {
    const { start, size } = dataOf(bytes);
    for (let at = start; at < start + size; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      const outcome = await read(changed, [password]).catch((error: unknown) => error);
      // The ZipCrypto header has eleven random bytes, each of which changes all that follow.
      expect([at, outcome === CONTENT]).toEqual([at, false]);
    }
  });
});

it('says that a wrong password may be why a checksum differs', async () => {
  const { bytes } = ARCHIVES[0]!;
  // One of 256 passwords looks right.
  for (let i = 0; i < 10_000; i++) {
    const password = `guess ${crc32(String(i))}`;
    const member = await onlyMember(bytes, [password]);
    if (member.type !== 'file') continue;
    const outcome = await read(bytes, [password]).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(SourceError);
    return;
  }
  throw new Error('no password looked right');
});
