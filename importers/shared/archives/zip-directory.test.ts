/**
 * Zip archives that are truncated, or followed by other bytes: intact members are read, and the rest is reported.
 */
import { expect, it } from 'vitest';
import { SourceError } from '../../../engine/contract/errors.ts';
import { DEFAULT_LIMITS } from '../decompress/decompress.ts';
import { zipOf } from '../testing/archives.ts';
import { overlappingMembers, zipMembers } from './zip.ts';

const TEXTS = [0, 1, 2].map((n) =>
  Array.from({ length: 40 }, (_, i) => `member ${n} line ${i} of ${(i * 7919) % 1009}\n`).join(''),
);
const limits = () => DEFAULT_LIMITS;

/** Contents of the members, each with the final state of its reading, and the end of the archive. */
async function read(bytes: Buffer) {
  const members: [name: string, text: string, state: string][] = [];
  const others: string[] = [];
  let error: unknown;
  try {
    for await (const member of zipMembers({ bytes }, limits)) {
      if (typeof member.type === 'object') {
        others.push(member.type.reason);
        continue;
      }
      let text = '';
      let state = 'complete';
      try {
        for await (const block of member.blocks()) text += Buffer.from(block).toString();
      } catch (failure) {
        state = failure instanceof SourceError ? failure.state : String(failure);
      }
      members.push([member.name, text, state]);
    }
  } catch (failure) {
    error = failure;
  }
  return { members, others, error };
}

const FORMS = [
  ['deflated', {}],
  ['stored', { method: 0 }],
  ['with sizes after the data', { descriptor: true }],
  ['zip64', { zip64: true }],
] as const;

it.each(FORMS)('reads what is there of an archive that is cut off: %s', async (_, form) => {
  const entries = TEXTS.map((content, n) => ({ name: `${n}.log`, content, ...form }));
  const whole = zipOf(entries);
  const starts = entries.map((_entry, n) => whole.indexOf(`${n}.log`) - 30);
  const directory = whole.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
  for (let end = starts[1]!; end < whole.length; end += 41) {
    const { members, error } = await read(whole.subarray(0, end));
    const about = `cut at ${end} of ${whole.length}`;
    expect(error, about).toBeInstanceOf(SourceError);
    expect(String(error), about).toContain('the directory of the zip archive');
    const all = end >= directory ? 3 : starts.findLastIndex((start) => start <= end);
    expect(members.length, about).toBeGreaterThanOrEqual(all);
    for (const [n, [name, text, state]] of members.entries()) {
      expect(name, about).toBe(`${n}.log`);
      if (n < all) expect([text, state], about).toEqual([TEXTS[n], 'complete']);
      else expect([TEXTS[n]!.startsWith(text), state], about).toEqual([true, 'partial']);
    }
    expect(await overlappingMembers({ bytes: whole.subarray(0, end) }, 10, limits)).toEqual(
      new Set(),
    );
  }
});

it('reads an archive that other bytes follow, and says how many', async () => {
  const whole = zipOf(TEXTS.map((content, n) => ({ name: `${n}.log`, content })));
  for (const after of [1, 100, 70_000]) {
    const { members, others, error } = await read(Buffer.concat([whole, Buffer.alloc(after, 7)]));
    expect(error).toBeUndefined();
    expect(members).toEqual(TEXTS.map((text, n) => [`${n}.log`, text, 'complete']));
    expect(others).toEqual([expect.stringMatching(`^${after} bytes? after the end`)]);
  }
});

it('finds no members but those that follow each other from the first byte on', async () => {
  const whole = zipOf([{ name: 'a.log', content: TEXTS[0]! }]);
  const directory = whole.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
  const member = whole.subarray(0, directory);
  const gap = Buffer.alloc(9);
  const { members } = await read(Buffer.concat([member, gap, member, member]));
  expect(members.map(([name]) => name)).toEqual(['a.log']);
  const { error } = await read(Buffer.concat([gap, member]));
  expect(String(error)).toContain('cannot be read');
});

it('stops at a member that decodes to too much while its end is looked for', async () => {
  const bomb = zipOf([{ name: 'zeros', content: Buffer.alloc(1 << 20), descriptor: true }]);
  const small = () => ({ ...DEFAULT_LIMITS, maxBytes: 1000 });
  const reading = async () => {
    for await (const member of zipMembers({ bytes: bomb.subarray(0, -30) }, small)) void member;
  };
  await expect(reading()).rejects.toThrow('--max-bytes');
});
