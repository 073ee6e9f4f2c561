/**
 * Commands given to shells: histories of Bash, zsh and fish, and PowerShell transcripts. Every command is an event
 * of kind `log`. See docs/importers/shell.md.
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
import { headLines, LineReader } from '../shared/lines.ts';
import { type CommandReader, Commands } from './commands.ts';
import {
  BASH_TIME,
  BashHistory,
  FISH_COMMAND,
  FISH_TIME,
  FishHistory,
  ZSH_TIME,
  ZshHistory,
} from './history.ts';
import { DATE_LINE, STARS, Transcript } from './transcript.ts';

const [BASH, ZSH, FISH, TRANSCRIPT] = [
  ...(['bash-history', 'zsh-history', 'fish-history', 'powershell-transcript'] as const),
];
const FORMATS: readonly string[] = [BASH, ZSH, FISH, TRANSCRIPT];
/** Histories that state no times are known by their names alone. */
const NAMED = /(?:^|[/\\!])\.?(bash|zsh|sh|ash|ksh|mksh)_history(?:[-._][^/\\!]*)?$/;
const MAX_LINES = 400;

function sniff(bytes: Uint8Array, { name, complete }: SniffHint): SniffResult | undefined {
  const lines = headLines(bytes, complete);
  const format = formatOf(lines.slice(0, MAX_LINES));
  if (format !== undefined) return { score: 0.95, format };
  const named = NAMED.exec(name);
  if (named === null || lines.length === 0) return undefined;
  return { score: 0.5, format: named[1] === 'zsh' ? ZSH : BASH };
}

function formatOf(lines: readonly string[]): string | undefined {
  const count = (pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length;
  const first = lines[0] ?? '';
  if (STARS.test(first) && lines.slice(1, 4).some((line) => DATE_LINE.test(line)))
    return TRANSCRIPT;
  if (FISH_COMMAND.test(first) && count(FISH_TIME) > 0) return FISH;
  if (ZSH_TIME.test(first)) return ZSH;
  // Commands of before there were times, and those of many lines, are among them.
  const times = count(BASH_TIME);
  return times > 1 && times * 10 >= lines.length ? BASH : undefined;
}

function readerOf(sink: EventSink, options: ReadOptions, format: string): CommandReader {
  const commands = new Commands(sink);
  if (format === ZSH) return new ZshHistory(commands);
  if (format === FISH) return new FishHistory(commands);
  if (format === TRANSCRIPT) return new Transcript(commands, sink, options);
  return new BashHistory(commands);
}

async function read(input: SourceInput, sink: EventSink, options: ReadOptions): Promise<void> {
  const reader = readerOf(sink, options, options.format);
  const lines = new LineReader(input.blocks(), { size: input.size });
  try {
    while (await lines.nextBlock()) {
      while (lines.next()) {
        const { buffer, lineStart, lineEnd, lineOffset, lineLength } = lines;
        const place = { offset: lineOffset, end: lineOffset + lineLength };
        reader.line(buffer.subarray(lineStart, lineEnd), place);
      }
      await sink.drain(lines.consumed);
    }
  } catch (error) {
    // Commands before it are good.
    if (error instanceof SourceError) reader.end();
    else await lines.close();
    throw error;
  }
  reader.end();
}

export const shellImporter: Importer = {
  id: 'shell',
  title: 'Shell histories and PowerShell transcripts',
  version: 1,
  appendOnly: false,
  byLines: true,
  formats: FORMATS,
  sniff,
  read,
};
