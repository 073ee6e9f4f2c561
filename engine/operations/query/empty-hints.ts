/** Hints for a query that found nothing. */
import { type CutText, KINDS } from '../../contract/event.ts';
import { STAGE_NAMES } from '../../contract/query-spelling.ts';
import {
  type Expression,
  NAMED,
  type Plan,
  type SegmentInfo,
  knownField,
  walk,
} from '../../query/index.ts';

/** Operators and functions of other languages that are words here, and what to write. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  ...{ eq: 'field=value', is: 'field=value, field:* or NOT field:*', like: 'field:text*' },
  ...{ ne: 'field!=value', neq: 'field!=value', '<>': 'field!=value' },
  ...{ gt: 'field>value', ge: 'field>=value', lt: 'field<value', le: 'field<=value' },
  ...{ between: 'field:[1 TO 9]', exists: 'field:*', isnotnull: 'field:*', isnotempty: 'field:*' },
  ...{ isnull: 'NOT field:*', isempty: 'NOT field:*', null: 'NOT field:*' },
  ...{ has: 'field:*text*', search: 'the words alone', xor: '(a OR b) NOT (a b)' },
};

/** Fields that a word is not looked for in, those first that a person has most often in mind. */
const ASKED_BY_NAME: readonly CutText[] = [
  ...(['user', 'url', 'user_agent', 'query', 'dst_domain', 'tls_sni', 'file_path'] as const),
  ...(['process', 'command', 'email_from', 'email_subject', 'rule', 'action'] as const),
];
const MOST_NAMED = 3;

/** Suggestions for a query that found nothing. */
export function hintsWhenEmpty(plan: Plan): string[] {
  const { ast } = plan;
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
      const foreign = word.includes('<>') ? '<>' : (/^[a-z]+/.exec(word)?.[0] ?? '');
      if (Object.hasOwn(FOREIGN_WORDS, foreign) && (foreign === word || /[(<>]/.test(word)))
        hints.add(`${node.text} is looked for as a word; write ${FOREIGN_WORDS[foreign]}`);
    }
    if (node.node !== 'field' || node.test.test !== 'word') return;
    const { text } = node.test;
    if (/[^,],[^,]/.test(text) && !/[*?]/.test(text) && knownField(node.name)?.type === 'text')
      hints.add(
        `${node.name}:${text} is one value; for several write ${node.name}:(${text.split(',').filter(Boolean).join(' OR ')})`,
      );
    if (knownField(node.name)?.name === 'message' && /[^*][*][^*]/.test(text))
      hints.add(
        `message:${text} is one word; for words apart write message:/${text.replaceAll('*', '.*')}/`,
      );
  });
  const other = otherFields(plan);
  return other === undefined ? [...hints] : [...hints, other];
}

const WHERE_WORDS_ARE = 'messages, hosts, programs, event types and attributes';

/** Fields of these segments that a word is not looked for in. */
function askedByName(segments: readonly SegmentInfo[]): readonly string[] {
  return ASKED_BY_NAME.filter((name) => segments.some(({ columns }) => columns.has(name)));
}

/** Where texts of a list of values were not looked for, and how they are. */
export function otherFieldsOfList(segments: readonly SegmentInfo[]): string | undefined {
  const [name] = askedByName(segments);
  return name === undefined
    ? undefined
    : `texts of the list are looked for in ${WHERE_WORDS_ARE}; to compare them with another field, such as ${name}, choose that field for the list (on the command line: --list-field ${name})`;
}

/** Where the first word of a query was not looked for, and how it is. */
function otherFields({ ast, segmentsUsed }: Plan): string | undefined {
  const word = firstWord(ast.filter);
  const there = askedByName(segmentsUsed);
  if (word === undefined || there.length === 0) return undefined;
  const isWord = /^[\w*?]+$/.test(word);
  const value = isWord ? `*${word.replace(/^[*]|[*]$/g, '')}*` : JSON.stringify(word);
  const tests = there.slice(0, MOST_NAMED).map((name) => `${name}:${value}`);
  return `words are looked for in ${WHERE_WORDS_ARE}; other fields are asked by name: ${tests.join(' OR ')}`;
}

/** An address, a block or a hash, which is looked for in its fields, too. */
const WITH_FIELDS = /^(?=.*[.:])[\da-f.:/*]+$|^([\da-f]{32}|[\da-f]{40}|[\da-f]{64})$/i;

/** The first word or phrase that events are to have. */
function firstWord(filter: Expression): string | undefined {
  if (filter.node === 'text') return WITH_FIELDS.test(filter.text) ? undefined : filter.text;
  if (filter.node !== 'and' && filter.node !== 'or') return undefined;
  for (const item of filter.items) {
    const word = firstWord(item);
    if (word !== undefined) return word;
  }
  return undefined;
}
