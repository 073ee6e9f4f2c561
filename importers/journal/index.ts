/**
 * Binary systemd journals: every entry is an event of kind `log`, the same as in an export of the journal. See
 * docs/importers/journal.md.
 */
import { SourceError } from '../../engine/contract/errors.ts';
import type {
  EventSink,
  Importer,
  SniffResult,
  SourceInput,
} from '../../engine/evidence/importer.ts';
import { JournalEntries } from './entries.ts';
import { MIN_HEADER_BYTES, SIGNATURE } from './layout.ts';
import { ObjectReader } from './objects.ts';

function sniff(head: Uint8Array): SniffResult | undefined {
  const isJournal =
    head.length >= MIN_HEADER_BYTES && SIGNATURE.equals(head.subarray(0, SIGNATURE.length));
  return isJournal ? { score: 1, format: 'journal' } : undefined;
}

async function read(input: SourceInput, sink: EventSink): Promise<void> {
  const entries = new JournalEntries(sink);
  const objects = new ObjectReader(entries);
  let consumed = 0;
  const finish = async (): Promise<void> => {
    if (!(await objects.end())) {
      sink.broken?.('partial', consumed, 'the file ends before the journal does');
      sink.note(`ends before the journal does, at offset ${consumed}`);
    }
    entries.finish();
  };
  try {
    for await (const block of input.blocks()) {
      await objects.take(block);
      consumed += block.length;
      await sink.drain(consumed);
    }
  } catch (error) {
    // Entries before it are good.
    if (error instanceof SourceError) await finish();
    throw error;
  }
  await finish();
}

export const journalImporter: Importer = {
  id: 'journal',
  title: 'systemd journals',
  version: 1,
  appendOnly: false,
  formats: ['journal'],
  sniff,
  read,
};
