/**
 * Logs of lines in pieces. What a piece must know of what is before it: whether lines began with their
 * times, which the first lines tell; and, where times lack their years, how often the year has turned,
 * which takes the look-ahead that reading takes too.
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
import { Header, parseHeader } from './header.ts';
import { layout } from './layout.ts';
import { positionOf, readLogPiece, scanYears } from './read.ts';
import type { YearPlan } from './year.ts';

/** First bytes that tell how the log is written. */
const HEAD_BYTES = 256 * 1024;
/** Places where the state changes that are remembered; with more, the dates are in no order. */
const MOST_CHANGES = 100_000;

/** The state of a log from place to place. */
class States {
  private readonly offsets: ByteOffset[] = [];
  private readonly led: boolean[] = [];
  private readonly years: string[] = [];

  get full(): boolean {
    return this.offsets.length >= MOST_CHANGES;
  }

  /** What holds after the line at `offset`. */
  add(offset: ByteOffset, ledByTimes: boolean, years: string): void {
    if (this.full) return;
    this.offsets.push(offset);
    this.led.push(ledByTimes);
    this.years.push(years);
  }

  before(offset: ByteOffset): { ledByTimes: boolean; years: string } {
    let low = 0;
    let high = this.offsets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.offsets[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return { ledByTimes: false, years: '' };
    return { ledByTimes: this.led[low - 1]!, years: this.years[low - 1]! };
  }
}

async function plan(input: SourceInput, options: ReadOptions): Promise<PiecePlan | undefined> {
  if ((await layout(input, options.format)) !== 'lines') return undefined;
  const head = await beginning(input);
  // UTF-16: a line feed is no byte of it.
  if (utf16Of(head) !== undefined) return undefined;
  const lines = head.subarray(0, head.lastIndexOf(10) + 1);
  let states = await statesOf(headOf(input, lines));
  let years: YearPlan | undefined;
  if (states.yearsMissing) {
    const all = await statesOf(input);
    if (all.states.full) return undefined;
    years = all.scan.plan(options, input.modifiedMs);
    states = all;
  }
  const header = new Header();
  return {
    shared: years === undefined ? '' : JSON.stringify(years),
    positionAt: (offset, line) => {
      const { ledByTimes, years: stood } = states.states.before(offset);
      return positionOf(offset, line, ledByTimes, stood);
    },
    begins: (bytes, start, end) => parseHeader(header, bytes, start, end, false),
  };
}

async function statesOf(input: SourceInput) {
  const states = new States();
  const scan = await scanYears(input, false, (offset, ledByTimes, dates) => {
    states.add(offset, ledByTimes, dates.state);
  });
  return { states, scan, yearsMissing: scan.state !== '' };
}

async function beginning(input: SourceInput): Promise<Uint8Array> {
  const head = new Uint8Array(HEAD_BYTES);
  let size = 0;
  try {
    for await (const block of input.blocks()) {
      const part = block.subarray(0, HEAD_BYTES - size);
      head.set(part, size);
      size += part.length;
      if (size === HEAD_BYTES) break;
    }
  } catch {
    // Reading meets the same.
  }
  return head.subarray(0, size);
}

function headOf(input: SourceInput, head: Uint8Array): SourceInput {
  const { name, modifiedMs } = input;
  async function* blocks(): AsyncGenerator<Uint8Array> {
    yield head;
  }
  return { name, size: head.length, modifiedMs, blocks };
}

export const logPieces: Pieces = {
  plan,
  read: (input, sink, options, piece) => {
    const years = piece.shared === '' ? undefined : (JSON.parse(piece.shared) as YearPlan);
    sink.metadata('layout', 'lines');
    const zone = resolveZone(options.timeZone ?? 'UTC');
    return readLogPiece(input, sink, options, zone, piece, years);
  },
};
