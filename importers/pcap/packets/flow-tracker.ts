/** The tracker of a capture's flows, loaded on demand: a scan of packets starts without it. */
import type { FileTaker } from '../../../engine/evidence/carried-files.ts';
import { counted } from '../../../engine/contract/words/counted.ts';
import type { EventSink } from '../../../engine/evidence/importer.ts';
import type { FlowTracker } from '../flows/index.ts';
import type { PacketTracker } from './packet-tracker.ts';

export async function flowTracker(sink: EventSink): Promise<FlowTracker> {
  const flows = await import('../flows/index.ts');
  const batch = sink.batch('flow');
  batch.isDerived = true;
  return new flows.FlowTracker(batch);
}

/** The tracker of protocols, also loaded on demand. */
export async function protocolTracker(
  flows: FlowTracker,
  sink: EventSink,
  files?: FileTaker,
): Promise<PacketTracker> {
  const protocols = await import('../protocols/index.ts');
  return new protocols.ProtocolTracker(flows, sink, files);
}

export function noteEvicted({ evicted }: FlowTracker, sink: EventSink): void {
  if (evicted > 0)
    sink.note(
      `${counted(evicted, 'flow')} ${evicted === 1 ? 'was' : 'were'} written early: too many were open at once`,
    );
}
