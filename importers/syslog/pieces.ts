/**
 * Logs of lines in pieces. What a piece must know: the shape of the log, which its first lines show;
 * and, where dates do not say all of themselves, what all dates tell and how often the year has
 * turned before it, which takes the look-ahead that reading takes too.
 */
import type { ByteOffset } from '../../engine/contract/event.ts';
import type {
  PiecePlan,
  Pieces,
  ReadOptions,
  SourceInput,
} from '../../engine/contract/importer.ts';
import { resolveZone } from '../../engine/contract/zone.ts';
import { utf16Of } from '../shared/utf16.ts';
import { scanDates, type DatesPlan } from './dates.ts';
import { Header, parseHeader } from './header.ts';
import { headOf, layout, type Layout } from './layout.ts';
import { positionOf, readLogPiece } from './read.ts';

/** Places where the state changes that are remembered; with more, the dates are in no order. */
const MOST_CHANGES = 100_000;

/** The state of a log from place to place. */
class States {
  private readonly offsets: ByteOffset[] = [];
  private readonly years: string[] = [];

  get full(): boolean {
    return this.offsets.length >= MOST_CHANGES;
  }

  /** What holds after the line at `offset`. */
  add(offset: ByteOffset, years: string): void {
    if (this.full) return;
    this.offsets.push(offset);
    this.years.push(years);
  }

  before(offset: ByteOffset): string {
    let low = 0;
    let high = this.offsets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.offsets[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? '' : this.years[low - 1]!;
  }
}

/** What all pieces of a log are read with. */
interface Shared {
  readonly layout: Layout;
  readonly dates: DatesPlan | undefined;
}

async function plan(input: SourceInput, options: ReadOptions): Promise<PiecePlan | undefined> {
  const found = await layout(input, options.format);
  if (found.kind !== 'lines') return undefined;
  const head = await headOf(input);
  // UTF-16: a line feed is no byte of it.
  if (utf16Of(head) !== undefined) return undefined;
  const lines = head.subarray(0, head.lastIndexOf(10) + 1);
  const states = new States();
  let dates: DatesPlan | undefined;
  if ((await scanDates(inputOf(input, lines), found)).needed) {
    const scan = await scanDates(input, found, (offset, years) => {
      states.add(offset, years.state);
    });
    if (states.full) return undefined;
    dates = scan.plan(options, input.modifiedMs);
  }
  const header = new Header();
  header.places = found.shape.places;
  const shared: Shared = { layout: found, dates };
  return {
    shared: JSON.stringify(shared),
    positionAt: (offset, line) => positionOf(offset, line, states.before(offset)),
    begins: (bytes, start, end) => parseHeader(header, bytes, start, end),
  };
}

function inputOf(input: SourceInput, head: Uint8Array): SourceInput {
  const { name, modifiedMs } = input;
  async function* blocks(): AsyncGenerator<Uint8Array> {
    yield head;
  }
  return { name, size: head.length, modifiedMs, blocks };
}

export const logPieces: Pieces = {
  plan,
  read: (input, sink, options, piece) => {
    const { layout: found, dates } = JSON.parse(piece.shared) as Shared;
    sink.metadata('layout', 'lines');
    const zone = resolveZone(options.timeZone ?? 'UTC');
    return readLogPiece(input, sink, options, zone, piece, found, dates);
  },
};
