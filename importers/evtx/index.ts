/**
 * Windows event logs (EVTX): every record is an event of kind `log`.
 * See docs/importers/evtx.md.
 */
import { SourceError } from '../../engine/contract/errors.ts';
import type {
  EventSink,
  Importer,
  SniffResult,
  SourceInput,
} from '../../engine/evidence/importer.ts';
import { EvtxEvents } from './events.ts';
import { isEventLog, LogReader } from './log-reader.ts';

function sniff(head: Uint8Array): SniffResult | undefined {
  return isEventLog(head) ? { score: 1, format: 'evtx' } : undefined;
}

async function read(input: SourceInput, sink: EventSink): Promise<void> {
  const events = new EvtxEvents(sink);
  const log = new LogReader(events);
  let consumed = 0;
  const finish = (): void => {
    if (!log.end()) {
      sink.broken?.('partial', consumed, 'the log ends within a chunk');
      sink.note(`ends within a chunk, at offset ${consumed}`);
    }
    events.finish();
  };
  try {
    for await (const block of input.blocks()) {
      log.take(block);
      consumed += block.length;
      await sink.drain(consumed);
    }
  } catch (error) {
    // Chunks before it are good.
    if (error instanceof SourceError) finish();
    throw error;
  }
  finish();
}

export const evtxImporter: Importer = {
  id: 'evtx',
  title: 'Windows event log (EVTX)',
  // 4: severities of levels by the same names as in exports.
  version: 4,
  appendOnly: false,
  formats: ['evtx'],
  sniff,
  read,
};
