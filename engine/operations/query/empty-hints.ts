/** Hints for a query that found nothing. */
import { KINDS } from '../../contract/event.ts';
import { STAGE_NAMES } from '../../contract/query-spelling.ts';
import { NAMED, type Plan, knownField, walk } from '../../query/index.ts';

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
      if (node.start === 0 && STAGE_NAMES.some((name) => name === word))
        hints.add(
          `${node.text} is looked for as a word; as a stage it comes after a |: * | ${word} …`,
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
