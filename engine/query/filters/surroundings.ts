/** Context that the values in a query may refer to. */
import type { EpochMicros } from '../../contract/event.ts';
import type { Test } from '../syntax/ast.ts';
import type { Field } from '../names/fields.ts';
import type { LookupFile } from '../lookups/lookup-file.ts';
import type { ZoneOffset } from '../time/time.ts';

/** A source or a tag. */
export interface Named {
  readonly id: number;
  readonly name: string;
}

/** Names of sources and tags by their numbers. */
export interface Names {
  /** Read where something needs one: a case may have thousands. */
  readonly sources: () => readonly Named[];
  readonly tags: readonly Named[];
}

export interface Surroundings extends Names {
  /** The newest event of the case. */
  readonly newestTs: EpochMicros | undefined;
  /** For times that state no zone. */
  readonly zone: string;
  readonly zoneOffset: ZoneOffset;
  /** The files for `lookup`, by their names in the query. */
  readonly lookups?: ReadonlyMap<string, LookupFile> | undefined;
  /** Notes on how doubtful parts are read. */
  readonly readings: Set<string>;
  /** Names that no list knows: the events may have them, or not. */
  readonly unlisted: Set<string>;
}

/** A test of a field as written in the query. */
export interface WrittenTest {
  readonly field: Field;
  readonly test: Test;
  /** Its position in the query's text. */
  readonly at: number;
  readonly around: Surroundings;
}
