/** Only pages in view or nearly so are read, a few at a time. */
import { describe, expect, it, vi } from 'vitest';
import {
  cell,
  makeColumn,
  type ColumnBatch,
} from '../../../../engine/contract/wire/column-batch.ts';
import { PAGE_ROWS, PageCache, type PageCacheOptions } from './page-cache.ts';

function batch(start: number, rows: number, text = 'row'): ColumnBatch {
  return { rows, columns: [makeColumn('event_id', rows, (row) => `${text} ${start + row}`)] };
}

interface Asked {
  readonly offset: number;
  readonly limit: number;
  readonly signal: AbortSignal;
  answer(): Promise<void>;
  fail(error: Error): Promise<void>;
}

function cache(options: Partial<PageCacheOptions> = {}) {
  const asked: Asked[] = [];
  const onChange = vi.fn();
  const onError = vi.fn();
  const pages = new PageCache({
    rows: 100_000,
    load: (offset, limit, signal) =>
      new Promise((resolve, reject) => {
        const settled = (): Promise<void> => new Promise((done) => setTimeout(done));
        asked.push({
          offset,
          limit,
          signal,
          answer: () => (resolve(batch(offset, limit)), settled()),
          fail: (error) => (reject(error), settled()),
        });
      }),
    onChange,
    onError,
    ...options,
  });
  const text = (row: number): unknown => {
    const page = pages.page(row);
    const column = page?.columns.get('event_id');
    return page && column && cell(column, row - page.start);
  };
  return { pages, asked, onChange, onError, text };
}

describe('PageCache', () => {
  it('reads what is seen first, then what comes next, two at a time', async () => {
    const { pages, asked, text, onChange } = cache();
    pages.want(190, 230, 1);
    expect(asked.map(({ offset }) => offset)).toEqual([0, 200]);
    expect(text(190)).toBeUndefined();
    await asked[0]!.answer();
    expect(text(190)).toBe('row 190');
    expect(onChange).toHaveBeenCalledTimes(1);
    expect(asked.map(({ offset }) => offset)).toEqual([0, 200, 400]);
    await asked[1]!.answer();
    await asked[2]!.answer();
    expect(asked.map(({ offset }) => offset)).toEqual([0, 200, 400, 600]);
  });

  it('reads upwards when scrolling goes up', () => {
    const { pages, asked } = cache();
    pages.want(1000, 1040, -1);
    expect(asked.map(({ offset }) => offset)).toEqual([1000, 800]);
  });

  it('has two requests in progress, however far a scrollbar is drawn meanwhile', async () => {
    const { pages, asked, text } = cache();
    for (let row = 0; row < 50_000; row += 1000) pages.want(row, row + 40, 1);
    pages.want(50_000, 50_040, 1);
    expect(asked.map(({ offset }) => offset)).toEqual([0, 200]);
    expect(asked.some(({ signal }) => signal.aborted)).toBe(false);
    await asked[1]!.answer();
    expect(asked.map(({ offset }) => offset)).toEqual([0, 200, 50_000]);
    await asked[0]!.answer();
    expect(asked.map(({ offset }) => offset)).toEqual([0, 200, 50_000, 50_200]);
    expect(text(3)).toBe('row 3');
  });

  it('tells no failure of a page that was scrolled away, and goes on', async () => {
    const { pages, asked, text, onError } = cache();
    pages.want(0, 40, 1);
    pages.want(50_000, 50_040, 1);
    await asked[1]!.answer();
    await asked[2]!.answer();
    expect(text(50_000)).toBe('row 50000');
    await asked[0]!.fail(new Error('broken'));
    expect(onError).not.toHaveBeenCalled();
    expect(asked.at(-1)!.offset).toBe(50_400);
  });

  it('asks for no page twice', async () => {
    const { pages, asked } = cache();
    pages.want(0, 40, 1);
    pages.want(2, 42, 1);
    await asked[0]!.answer();
    pages.want(4, 44, 1);
    expect(asked.map(({ offset }) => offset)).toEqual([0, 200, 400]);
  });

  it('the last page has what is left', () => {
    const { pages, asked } = cache({ rows: 450 });
    pages.want(410, 450, 1);
    expect(asked.map(({ offset, limit }) => [offset, limit])).toEqual([[400, 50]]);
  });

  it('shows the first rows and those of the list before until the page is there', async () => {
    const old = cache();
    old.pages.want(0, 300, 1);
    await old.asked[0]!.answer();
    await old.asked[1]!.answer();
    const { pages, asked, text } = cache({ first: batch(0, 100, 'first'), before: old.pages });
    expect(text(5)).toBe('first 5');
    expect(text(150)).toBe('row 150');
    expect(text(700)).toBeUndefined();
    pages.want(0, 40, 1);
    await asked[0]!.answer();
    expect(text(5)).toBe('row 5');
  });

  it('forgets what was not looked at for longest', async () => {
    const { pages, asked, text } = cache();
    for (let i = 0; i < 70; i++) {
      pages.want(0, 1, -1);
      pages.want(i * PAGE_ROWS, i * PAGE_ROWS + 1, -1);
      await asked.at(-1)!.answer();
    }
    expect(text(0)).toBe('row 0');
    expect(text(PAGE_ROWS)).toBeUndefined();
    expect(text(69 * PAGE_ROWS)).toBe(`row ${69 * PAGE_ROWS}`);
  });

  it('a page that cannot be read is told and tried again when it is wanted again', async () => {
    const { pages, asked, onError, text } = cache({ rows: 100 });
    pages.want(0, 40, 1);
    await asked[0]!.fail(new Error('broken'));
    expect(onError).toHaveBeenCalledWith(new Error('broken'));
    expect(asked).toHaveLength(1);
    pages.want(0, 40, 1);
    await asked[1]!.answer();
    expect(text(3)).toBe('row 3');
  });

  it('asks for nothing when it is disposed of', async () => {
    const { pages, asked } = cache();
    pages.want(0, 40, 1);
    pages.dispose();
    expect(asked[0]!.signal.aborted).toBe(true);
    pages.want(5000, 5040, 1);
    expect(asked).toHaveLength(2);
  });
});
