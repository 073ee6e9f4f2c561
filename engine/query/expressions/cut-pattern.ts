/**
 * Converts templates of `extract` to patterns: `from {src_ip} port {src_port}` is found anywhere in a text. Types
 * are those of extractors (engine/fields/cutting/template.ts), as far as a pattern can express them.
 */
import { fieldEntry } from '../../fields/registry/registry.ts';

/** The pattern of each type: as short a match as possible if the text after it decides where it ends. */
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ip: '(?:[0-9]{1,3}(?:\\.[0-9]{1,3}){3}|[0-9a-fA-F]*:[0-9a-fA-F:]*:[0-9a-fA-F.]*)',
    port: '[0-9]{1,5}',
    number: '[0-9]+(?:\\.[0-9]+)?',
    proto: '\\w+',
    word: '\\S+?',
    value: '\\S*?',
    brief: '.*?',
    text: '.*',
    rest: '.*',
    quoted: '[^"]*',
  }),
);
const LAST: ReadonlyMap<string, string> = new Map([
  ['word', '\\S+'],
  ['value', '\\S*'],
  ['brief', '.*'],
]);

const TEMPLATE_TYPES = [...TYPES.keys()];

/** @throws Error that says what is wrong with it */
export function templatePattern(template: string): string {
  return alternatives(template);
}

/** Reads to the end, and braces recursively. */
function alternatives(template: string): string {
  let out = '';
  for (let at = 0; at < template.length; at++) {
    const c = template[at]!;
    if (c === '\\' && at + 1 < template.length) {
      out += escaped(template[at + 1]!);
      at += 1;
    } else if (c === '}') throw new Error('a brace is not opened');
    else if (c !== '{') out += escaped(c);
    else {
      const end = closing(template, at);
      const inner = template.slice(at + 1, end);
      const choices = parts(inner);
      if (choices.length > 1) out += `(?:${choices.map(alternatives).join('|')})`;
      else out += capture(inner, end === template.length - 1);
      at = end;
    }
  }
  return out;
}

function capture(token: string, isLast: boolean): string {
  const found = /^([A-Za-z_]\w*)?(?::(\w+))?$/.exec(token);
  if (found === null || token === '')
    throw new Error(`{${token}} is not a field: write {user} or {user:text}`);
  const [, name, written] = found;
  const type = written ?? typeOf(name ?? '');
  const pattern = (isLast ? LAST.get(type) : undefined) ?? TYPES.get(type);
  if (pattern === undefined)
    throw new Error(`there is no type ${type}: types are ${TEMPLATE_TYPES.join(', ')}`);
  return name === undefined ? `(?:${pattern})` : `(?P<${name}>${pattern})`;
}

function typeOf(name: string): string {
  const type = fieldEntry(name)?.type;
  return type === 'ip' || type === 'port' || type === 'number' || type === 'proto' ? type : 'word';
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '{') depth += 1;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  throw new Error('a brace is not closed');
}

/** Splits at bars outside of braces. */
function parts(text: string): string[] {
  const out: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth -= 1;
    else if (text[at] === '|' && depth === 0) {
      out.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...out, text.slice(from)];
}

function escaped(c: string): string {
  return c.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
}
