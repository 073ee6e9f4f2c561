/** The state of a source before anything of it was read. */
import type { SourceState } from './protocol.ts';

export function emptySourceState(sourceId: number): SourceState {
  return {
    sourceId,
    read: 0,
    stored: 0,
    duplicate: 0,
    quarantined: 0,
    quarantineMet: 0,
    skippedReasons: {},
    emitted: {},
    checkpointBytes: 0,
    checkpointSha256: undefined,
    firstTs: undefined,
    lastTs: undefined,
    decisions: {},
    metadata: {},
    notes: [],
    broken: undefined,
    elapsedMs: 0,
    done: undefined,
  };
}
