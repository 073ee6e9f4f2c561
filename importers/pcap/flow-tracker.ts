/** Flows of a capture, loaded when they are wanted: a scan of packets starts without. */
import type { EventSink } from '../../engine/contract/importer.ts';
import type { FlowTracker } from './flows/index.ts';

export async function flowTracker(sink: EventSink): Promise<FlowTracker> {
  const flows = await import('./flows/index.ts');
  const batch = sink.batch('flow');
  batch.isDerived = true;
  return new flows.FlowTracker(batch);
}

export function noteEvicted({ evicted }: FlowTracker, sink: EventSink): void {
  if (evicted > 0) sink.note(`${evicted} flows were written early: too many were open at a time`);
}
