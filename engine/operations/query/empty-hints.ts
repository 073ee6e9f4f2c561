/** Hints for a query that found nothing. */
import { KINDS } from '../../contract/event.ts';
import { NAMED, type Plan, STAGE_NAMES, knownField, walk } from '../../query/index.ts';

/** Operators and functions of other languages that are words here, and what to write instead. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  ...{ eq: 'field=value', is: 'field=value, field:* or NOT field:*', like: 'field:text*' },
  ...{ ne: 'field!=value', neq: 'field!=value', '<>': 'field!=value' },
  ...{ gt: 'field>value', ge: 'field>=value', lt: 'field<value', le: 'field<=value' },
  ...{ between: 'field:[1 TO 9]', exists: 'field:*', isnotnull: 'field:*', isnotempty: 'field:*' },
  ...{ isnull: 'NOT field:*', isempty: 'NOT field:*', null: 'NOT field:*' },
  ...{ has: 'field:*text*', search: 'the words alone', xor: '(a OR b) NOT (a b)' },
};

/** Suggestions for a query that found nothing. */
export function hintsWhenEmpty(plan: Plan): string[] {
  const { ast } = plan;
  const hints = new Set<string>();
  walk(ast.filter, (node) => {
    if (node.node === 'text' && !node.quoted) {
      const word = node.text.toLowerCase();
      if (NAMED.proto.has(word))
        hints.add(
          `${node.text} was searched for as a word; for events of that protocol write proto:${word}`,
        );
      if (node.start === 0 && STAGE_NAMES.some((name) => name === word))
        hints.add(
          `${node.text} was searched for as a word; as a stage it comes after a |: * | ${word} …`,
        );
      if (KINDS.some((kind) => kind === word))
        hints.add(
          `${node.text} was searched for as a word; for events of that kind write kind:${word}`,
        );
      const foreign = word.includes('<>') ? '<>' : (/^[a-z]+/.exec(word)?.[0] ?? '');
      if (Object.hasOwn(FOREIGN_WORDS, foreign) && (foreign === word || /[(<>]/.test(word)))
        hints.add(`${node.text} was searched for as a word; write ${FOREIGN_WORDS[foreign]}`);
    }
    if (node.node !== 'field' || node.test.test !== 'word') return;
    const { text } = node.test;
    if (/[^,],[^,]/.test(text) && !/[*?]/.test(text) && knownField(node.name)?.type === 'text')
      hints.add(
        `${node.name}:${text} is one value; for several write ${node.name}:(${text.split(',').filter(Boolean).join(' OR ')})`,
      );
    if (knownField(node.name)?.name === 'message' && /[^*][*][^*]/.test(text))
      hints.add(
        `message:${text} is one word; for separate words write message:/${text.replaceAll('*', '.*')}/`,
      );
  });
  return [...hints];
}
