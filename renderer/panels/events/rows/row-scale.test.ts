/** Every row of a list of any length can be reached, by small steps and by the scrollbar. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MOST_HEIGHT,
  placeAt,
  placeToSee,
  rowsAt,
  rowScale,
  scrolled,
  START,
} from './row-scale.ts';

const SHORT = rowScale(1000, 26, 700);
const LONG = rowScale(10_000_000, 26, 700);
const anyScale = fc
  .tuple(fc.integer({ min: 1, max: 200_000_000 }), fc.integer({ min: 60, max: 2200 }))
  .map(([rows, viewport]) => rowScale(rows, 26, viewport));

describe('the element', () => {
  it('is as high as its rows where a browser allows it', () => {
    expect(SHORT.height).toBe(26_000);
    expect(LONG.height).toBe(MOST_HEIGHT);
  });

  it('scrolls as any other while it is', () => {
    expect(scrolled(SHORT, START, 1300)).toEqual({ top: 1300, scrollTop: 1300 });
    expect(rowsAt(SHORT, placeAt(SHORT, 1300))).toEqual({ first: 50, end: 77 });
  });
});

describe('a squeezed element', () => {
  it('shows the last row at its end and the first at its start', () => {
    const end = scrolled(LONG, START, LONG.height - LONG.viewport);
    expect(rowsAt(LONG, end).end).toBe(10_000_000);
    expect(rowsAt(LONG, scrolled(LONG, end, 0)).first).toBe(0);
  });

  it('goes to the middle when the scrollbar does', () => {
    const middle = scrolled(LONG, START, (LONG.height - LONG.viewport) / 2);
    expect(rowsAt(LONG, middle).first / 1e7).toBeCloseTo(0.5, 3);
  });

  it('moves row by row under a wheel, wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: -700, max: 700 }),
        (part, step) => {
          const place = placeAt(LONG, part * LONG.full);
          const next = scrolled(LONG, place, place.scrollTop + step);
          const want = Math.min(Math.max(0, place.top + step), LONG.full - LONG.viewport);
          expect(next.top).toBeCloseTo(want, 3);
        },
      ),
    );
  });

  it('reaches the first rows one by one after its place was set again', () => {
    let place = placeAt(LONG, 7800);
    for (let i = 0; i < 300; i++) {
      place = placeAt(LONG, scrolled(LONG, place, place.scrollTop - 26).top);
      expect(rowsAt(LONG, place).first).toBe(300 - i - 1);
    }
  });
});

describe('of any length', () => {
  it('a place is within the element and its rows within the list', () => {
    fc.assert(
      fc.property(anyScale, fc.double({ min: -1, max: 2, noNaN: true }), (scale, part) => {
        const place = placeAt(scale, part * scale.full);
        expect(place.scrollTop).toBeGreaterThanOrEqual(0);
        expect(place.scrollTop).toBeLessThanOrEqual(
          Math.max(0, scale.height - scale.viewport) + 1e-6,
        );
        const { first, end } = rowsAt(scale, place, 10);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(scale.rows);
        expect(first).toBeLessThan(end);
      }),
    );
  });

  it('a row that is to be seen is seen, wholly', () => {
    fc.assert(
      fc.property(
        anyScale,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(),
        (scale, part, at) => {
          const row = at % scale.rows;
          const { top } = placeToSee(scale, placeAt(scale, part * scale.full), row);
          expect(row * 26).toBeGreaterThanOrEqual(top - 1e-6);
          if (scale.viewport >= 26)
            expect(row * 26 + 26).toBeLessThanOrEqual(top + scale.viewport + 1e-6);
        },
      ),
    );
  });

  it('places are in the order of their rows', () => {
    fc.assert(
      fc.property(
        anyScale,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (scale, a, b) => {
          const [low, high] = a < b ? [a, b] : [b, a];
          expect(placeAt(scale, low * scale.full).scrollTop).toBeLessThanOrEqual(
            placeAt(scale, high * scale.full).scrollTop,
          );
        },
      ),
    );
  });
});
