/** What a person should know of an answer. */
import { join } from 'node:path';
import { KINDS } from '../contract/event.ts';
import { NAMED, type Plan, knownField, listText, walk } from '../query/index.ts';
import type { CaseSession } from './case-session.ts';
import type { Snapshot } from './snapshot.ts';

/** What is to be told where indexes of segments could not be read. */
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
    const what =
      damaged === 1 ? 'the index of one segment is' : `the indexes of ${damaged} segments are`;
    notes.push(`${what} damaged: its rows were read; daybook verify --repair makes it again`);
  }
  if (nodes.damaged > 0)
    notes.push(
      `${nodes.damaged} merged rollups are damaged: segments were added up one by one; daybook verify --repair makes them again`,
    );
  return notes;
}

/** What a query that found nothing may have meant. */
export function hintsWhenEmpty({ ast }: Plan): string[] {
  const hints = new Set<string>();
  walk(ast.filter, (node) => {
    if (node.node === 'text' && !node.quoted) {
      const word = node.text.toLowerCase();
      if (NAMED.proto.has(word))
        hints.add(
          `${node.text} is looked for as a word; events of that protocol are proto:${word}`,
        );
      if (KINDS.some((kind) => kind === word))
        hints.add(`${node.text} is looked for as a word; events of that kind are kind:${word}`);
    }
    if (node.node !== 'field' || node.test.test !== 'word') return;
    const { text } = node.test;
    if (knownField(node.name)?.name === 'message' && /[^*][*][^*]/.test(text))
      hints.add(
        `message:${text} is one word; for words apart write message:/${text.replaceAll('*', '.*')}/`,
      );
  });
  return [...hints];
}

/** What is to be told of any answer on this plan. */
export function notesOf(plan: Plan): string[] {
  const { list } = plan.context;
  const ofList = [...plan.readings, ...(list === undefined ? [] : [`list: ${listText(list)}`])];
  if (plan.unlisted.size === 0) return ofList;
  const names = [...plan.unlisted].map((name) => JSON.stringify(name)).join(', ');
  return [
    ...ofList,
    `${names}: in no column; looked up only among the attributes that an import kept in the overflow`,
  ];
}
