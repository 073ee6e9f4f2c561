/** Numbers and turns of an import's items do not depend on the order in which workers ask. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SourceOrder } from './source-order.ts';

it('an item has its turn when all before it are decided on', async () => {
  const order = new SourceOrder([10, 11, 12], 1);
  expect(order.turn(10)).toBeUndefined();
  const heard: string[] = [];
  const waiting = [12, 11].map((ordinal) =>
    order.turn(ordinal)!.then((what) => heard.push(`${ordinal} ${what}`)),
  );
  order.settled(11);
  await Promise.resolve();
  expect(heard).toEqual([]);
  order.settled(10);
  await Promise.all(waiting);
  expect(heard).toEqual(['12 turn', '11 turn']);
  expect(order.turn(12)).toBeUndefined();
});

it('who waits is told to hand over what it has', async () => {
  const order = new SourceOrder([1, 2], 1);
  const turn = order.turn(2);
  order.hurry();
  expect(await turn).toBe('flush');
  order.settled(1);
  expect(order.turn(2)).toBeUndefined();
});

it('members of archives have the same numbers whatever is read beside them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 900 }),
      fc.infiniteStream(fc.nat(100)),
      (members, first, chance) => {
        const items = members.map((_, i) => i);
        const expected = new Map<string, number>();
        const inOrder = new SourceOrder(items, first);
        for (const [item, count] of members.entries())
          for (let n = 0; n <= count; n++)
            expected.set(`${item} ${n}`, inOrder.number(item, count > 0));
        expect(new Set(expected.values()).size).toBe(expected.size);

        const mixed = new SourceOrder(items, first);
        const got = new Map<string, number>();
        // The first source of each item comes in order, the others in any order.
        for (const [item, count] of members.entries())
          got.set(`${item} 0`, mixed.number(item, count > 0));
        const at = members.map(() => 1);
        for (;;) {
          const left = items.filter((item) => at[item]! <= members[item]!);
          if (left.length === 0) break;
          const item = left[Number(chance.next().value) % left.length]!;
          got.set(`${item} ${at[item]!}`, mixed.number(item, true));
          at[item] = at[item]! + 1;
        }
        expect(got).toEqual(expected);
      },
    ),
  );
});

it('an archive that was interrupted goes on to the same numbers', () => {
  const whole = new SourceOrder([0, 1], 3);
  const numbers = [0, 0, 0, 1].map((item) => whole.number(item, item === 0));
  const resumed = new SourceOrder([0, 1], numbers[1]!);
  expect([0, 0, 1].map((item) => resumed.number(item, item === 0))).toEqual(numbers.slice(1));
});
