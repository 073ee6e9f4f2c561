/**
 * Log-ins of Linux in records of fixed size: utmp, wtmp, btmp and lastlog. Every record is an event of kind `log`.
 * See docs/importers/utmp.md.
 */
import { SourceError } from '../../engine/contract/errors.ts';
import type {
  EventSink,
  Importer,
  ReadOptions,
  SniffHint,
  SniffResult,
  SourceInput,
} from '../../engine/evidence/importer.ts';
import { UtmpEvents } from './events.ts';
import { isZero, lastLogin, LAYOUTS, utmpRecord, type Layout } from './record.ts';

/** Number of records that are examined to recognise a file. */
const MOST_LOOKED_AT = 64;

/** Whether a record is sound, or empty, or neither. */
function judged(head: Uint8Array, at: number, layout: Layout): 'sound' | 'empty' | 'bad' {
  if (isZero(head, at, at + layout.size)) return 'empty';
  if (layout.format === 'lastlog') {
    const login = lastLogin(head, at, layout);
    return typeof login === 'object' ? 'sound' : 'bad';
  }
  const record = utmpRecord(head, at, layout);
  if (typeof record === 'string') return 'bad';
  return record.type === 'EMPTY' ? 'empty' : 'sound';
}

/** The layout in which most records are valid. */
function layoutOf(head: Uint8Array, name: string): Layout | undefined {
  let best: { layout: Layout; sound: number } | undefined;
  for (const layout of LAYOUTS) {
    // Its records have so few fields that other files may look the same.
    if (layout.format === 'lastlog' && !/lastlog/i.test(name)) continue;
    let sound = 0;
    let bad = 0;
    const most = Math.min(MOST_LOOKED_AT, Math.floor(head.length / layout.size));
    for (let i = 0; i < most; i++) {
      const state = judged(head, i * layout.size, layout);
      if (state === 'sound') sound += 1;
      else if (state === 'bad') bad += 1;
    }
    if (sound > 0 && sound >= bad && sound > (best?.sound ?? 0)) best = { layout, sound };
  }
  return best?.layout;
}

function sniff(head: Uint8Array, { name }: SniffHint): SniffResult | undefined {
  const layout = layoutOf(head, name);
  return layout === undefined ? undefined : { score: 0.95, format: layout.format };
}

async function read(input: SourceInput, sink: EventSink, { format }: ReadOptions): Promise<void> {
  let layout: Layout | undefined;
  let events: UtmpEvents | undefined;
  let waiting: Uint8Array = new Uint8Array(0);
  let consumed = 0;
  const take = (isEnd: boolean): void => {
    if (layout === undefined) {
      if (!isEnd && waiting.length < LOOK_BYTES) return;
      const named = format === 'lastlog' ? 'lastlog' : input.name;
      layout =
        layoutOf(waiting.subarray(0, LOOK_BYTES), named) ?? LAYOUTS[format === 'lastlog' ? 2 : 0]!;
      events = new UtmpEvents(sink, layout);
    }
    const { size } = layout;
    const start = consumed - waiting.length;
    let at = 0;
    for (; at + size <= waiting.length; at += size) events!.take(waiting, at, start + at);
    waiting = waiting.slice(at);
  };
  const finish = (): void => {
    take(true);
    if (waiting.length === 0) return;
    const at = consumed - waiting.length;
    sink.quarantine(at, 'ends within a record', waiting);
    sink.broken?.('partial', at, 'the file ends within a record');
    sink.note(`ends within a record, at offset ${at}`);
  };
  try {
    for await (const block of input.blocks()) {
      waiting = Buffer.concat([waiting, block]);
      consumed += block.length;
      take(false);
      await sink.drain(consumed);
    }
  } catch (error) {
    // Records before it are good.
    if (error instanceof SourceError) finish();
    throw error;
  }
  finish();
}

const LOOK_BYTES = 1 << 16;

export const utmpImporter: Importer = {
  id: 'utmp',
  title: 'Linux logins (utmp, wtmp, btmp, lastlog)',
  version: 1,
  appendOnly: false,
  formats: ['utmp', 'lastlog'],
  sniff,
  read,
};
