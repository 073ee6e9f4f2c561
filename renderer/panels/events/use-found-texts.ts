/**
 * Finds the excerpts that show the query's words in each visible row: words are searched in every text of an event,
 * but a row shows only some of them. Other texts are requested only for rows in which a word is not visible.
 */
import { useEffect, useMemo, useState } from 'react';
import { cell, columnOf } from '../../../engine/contract/wire/column-batch.ts';
import { useAnswer, useCase, useZone } from '../../panel-api.ts';
import type { Searched, SearchedWords } from '../../widgets/query/searched-words.ts';
import { SUMMARY } from '../../widgets/event-columns.ts';
import type { EventColumn } from './columns/event-column.ts';
import { cellOf, endsOf, MOST_TEXT } from './event-row.tsx';
import {
  foundTexts,
  missingWords,
  searchedTexts,
  seenPart,
  type EventTexts,
  type FoundText,
  type SeenTexts,
} from './found-text.ts';
import type { Page, PageCache } from './rows/page-cache.ts';
import type { EventList } from './rows/use-event-list.ts';

interface Asked {
  readonly list: EventList;
  readonly columns: readonly EventColumn[];
  readonly words: SearchedWords | undefined;
  /** Characters that are seen in each column. */
  readonly widths: readonly number[];
  /** Rows that are seen. */
  readonly first: number;
  readonly end: number;
}

/** Rows are processed in blocks of this many, so that scrolling a few rows requests nothing. */
const BLOCK = 32;
/** Events whose texts are cached. */
const MOST_KEPT = 2000;
const NOTHING: readonly FoundText[] = [];

interface Known {
  readonly question: string;
  readonly events: ReadonlyMap<string, EventTexts>;
}

/** @returns the excerpts of a row */
export function useFoundTexts(asked: Asked): (row: number) => readonly FoundText[] {
  const { list, columns, words, widths } = asked;
  const { case: path } = useCase();
  const zone = useZone();
  const [known, setKnown] = useState<Known>({ question: list.question, events: new Map() });
  const events = known.question === list.question ? known.events : undefined;
  const from = Math.floor(asked.first / BLOCK) * BLOCK;
  const to = Math.min(list.pages.rows, Math.ceil(asked.end / BLOCK) * BLOCK);

  const { pages, version, stale } = list;
  const { found, missing } = useMemo(
    () =>
      words === undefined || stale
        ? { found: new Map<number, readonly FoundText[]>(), missing: [] }
        : look({ pages, columns, searched: words.shown, widths, from, to }, events),
    // The version tells when there are other pages.
    // oxlint-disable-next-line react/exhaustive-deps
    [pages, version, stale, columns, words, widths, from, to, events],
  );
  const question =
    missing.length === 0
      ? undefined
      : {
          ...{ case: path, zone, limit: missing.length, aside: true as const },
          query: `kind:* event_id:(${missing.join(' OR ')})`,
        };
  const { data } = useAnswer('query.run', question, { live: false });
  const answer = useMemo(() => {
    const texts = new Map<string, EventTexts>();
    const ids = data === undefined ? undefined : columnOf(data.batch, 'event_id');
    if (data === undefined || ids === undefined) return texts;
    for (let at = 0; at < data.batch.rows; at++) {
      const value = (name: string) => {
        const column = columnOf(data.batch, name);
        return column === undefined ? null : cell(column, at);
      };
      texts.set(String(cell(ids, at)), searchedTexts(data.columns, value));
    }
    return texts;
  }, [data]);
  useEffect(() => {
    if (answer.size === 0) return;
    setKnown((before) => ({
      question: list.question,
      events: new Map(
        [...(before.question === list.question ? before.events : []), ...answer].slice(-MOST_KEPT),
      ),
    }));
  }, [answer, list.question]);
  return (row) => found.get(row) ?? NOTHING;
}

interface Looked {
  readonly pages: PageCache;
  readonly columns: readonly EventColumn[];
  readonly searched: readonly Searched[];
  readonly widths: readonly number[];
  readonly from: number;
  readonly to: number;
}

/** The excerpts of rows, and the events whose texts are needed for more. */
function look(
  { pages, columns, searched, widths, from, to }: Looked,
  events: Known['events'] | undefined,
): { found: ReadonlyMap<number, readonly FoundText[]>; missing: readonly string[] } {
  const missing: string[] = [];
  const found = new Map<number, readonly FoundText[]>();
  for (let row = from; row < to; row++) {
    const page = pages.page(row);
    const event = cellOf(page, row, 'event_id');
    if (typeof event !== 'string') continue;
    const { seen, rest, room } = rowTexts(page, columns, widths, row);
    const lacking = missingWords(searched, seen);
    if (lacking.length === 0) continue;
    const texts = events?.get(event);
    found.set(row, foundTexts(lacking, rest, texts, room));
    const isElsewhere = missingWords(lacking, new Map([[SUMMARY, rest]])).length > 0;
    if (texts === undefined && isElsewhere) missing.push(event);
  }
  return { found, missing };
}

/** The texts visible in a row, the one that fills it, and the characters of its column. */
function rowTexts(
  page: Page | undefined,
  columns: readonly EventColumn[],
  widths: readonly number[],
  row: number,
): { seen: SeenTexts; rest: string; room: number } {
  const seen = new Map<string, string>();
  let rest = '';
  let room = MOST_TEXT;
  columns.forEach(({ name, type, fills, ends }, at) => {
    const value = type === 'text' ? cellOf(page, row, name) : undefined;
    if (value === null || value === undefined) return;
    const text = String(value);
    const before = ends ? endsOf(page, row) : undefined;
    const width = Math.min(MOST_TEXT, widths[at] ?? MOST_TEXT);
    const left = Math.max(0, width - (before === undefined ? 0 : before.length + 1));
    seen.set(name, seenPart(name, text, left));
    if (!fills) return;
    rest = text;
    room = width;
  });
  return { seen, rest, room };
}
