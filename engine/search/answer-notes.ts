/** Notes on an answer, for people. */
import { join } from 'node:path';
import { type Plan, listText } from '../query/index.ts';
import type { CaseSession } from './session/case-session.ts';
import type { Snapshot } from './session/snapshot.ts';

/** Notes about side files that could not be read. */
export function damageNotes(
  { folder, indexes, nodes }: CaseSession,
  { segments }: Snapshot,
  plan: Plan,
): string[] {
  const used = new Set(plan.segmentsUsed.map(({ id }) => id));
  const files = segments.filter(({ id }) => used.has(id)).map(({ file }) => join(folder, file));
  const damaged = indexes.damagedOf(files);
  const notes: string[] = [];
  if (damaged > 0) {
    const subject =
      damaged === 1 ? 'the index of one segment is' : `the indexes of ${damaged} segments are`;
    notes.push(
      `${subject} damaged: rows were read without it; daybook verify --repair rebuilds it`,
    );
  }
  if (nodes.damaged > 0)
    notes.push(
      `${nodes.damaged} merged rollups are damaged: segments were added up one by one; daybook verify --repair rebuilds them`,
    );
  return notes;
}

/** Notes on every answer to this plan. */
export function notesOf(plan: Plan): string[] {
  const { list, exclude } = plan.context;
  const ofList = [
    ...plan.readings,
    ...(list === undefined ? [] : [`list: ${listText(list)}`]),
    ...(exclude === undefined ? [] : [`left out by list: ${listText(exclude)}`]),
  ];
  const unlisted = new Set([
    ...plan.unlisted,
    ...(list?.unlisted ?? []),
    ...(exclude?.unlisted ?? []),
  ]);
  if (unlisted.size === 0) return ofList;
  const names = [...unlisted].map((name) => JSON.stringify(name)).join(', ');
  return [
    ...ofList,
    `${names}: in no column; searched for only in records with more fields than columns`,
  ];
}
