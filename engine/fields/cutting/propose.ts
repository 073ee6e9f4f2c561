/**
 * Proposes a template for a message in which a person selected the value of a field: the words around it, and
 * wildcards for what varies. Values that are already cut out of the message are kept, each if it occurs once.
 *
 * Invariant: the template fits the message. People can edit the proposed text.
 */
import { addressEnd, numberOf } from './values.ts';
import { fieldEntry } from '../registry/registry.ts';

interface Selection {
  readonly field: string;
  /** In the message as text. */
  readonly start: number;
  readonly end: number;
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly capture: string;
}

/** Number of words after the selection that are kept; anything may follow them. */
const MOST_WORDS_AFTER = 6;
const utf8 = new TextEncoder();

/** The start of the message after the tag that names its program, as for the cutter. */
export function bodyOf(program: string, message: string): string {
  let rest = message;
  if (program !== '' && message.startsWith(program)) {
    const tag = /^(?:\[[^\]]*\])?:/.exec(message.slice(program.length));
    if (tag !== null) rest = message.slice(program.length + tag[0].length);
  }
  return rest.replace(/^ +/, '').replace(/^\[ *\d+\.\d+\] (?=.)/, '');
}

/** @param known fields with the values that the message already gives */
export function proposeTemplate(
  message: string,
  selection: Selection,
  known: Readonly<Record<string, string>> = {},
): string {
  const places: Place[] = [
    {
      ...{ start: selection.start, end: selection.end },
      capture: captureOf(selection.field, message.slice(selection.start, selection.end)),
    },
  ];
  const isFree = (start: number, end: number): boolean =>
    places.every((one) => end < one.start || start > one.end);
  for (const [field, value] of Object.entries(known)) {
    if (field === selection.field || value === '') continue;
    const start = placeOf(message, value);
    if (start >= 0 && isFree(start, start + value.length))
      places.push({ start, end: start + value.length, capture: captureOf(field, value) });
  }
  // Values that vary: words with a digit.
  for (const { 0: word, index } of message.matchAll(
    /[^\s"'()[\]{}<>|,;=]*\d[^\s"'()[\]{}<>|,;=]*/g,
  )) {
    const core = word.replace(/[.:!?]+$/, '');
    const end = index + core.length;
    if (isFree(index, end)) places.push({ start: index, end, capture: wildcardOf(core) });
  }
  places.sort((one, other) => one.start - other.start);
  return textOf(message, places, selection);
}

function textOf(message: string, places: readonly Place[], { end: selected }: Selection): string {
  let out = '';
  let at = 0;
  const stop = restStart(message, selected);
  for (const { start, end, capture } of places) {
    if (start >= stop) break;
    out += escaped(message.slice(at, start)) + capture;
    at = end;
  }
  if (stop === message.length) return out + escaped(message.slice(at));
  return `${out}${escaped(message.slice(at, Math.max(at, stop)))}{:rest}`;
}

/** Start of the rest that a wildcard replaces: after some words following the selection. */
function restStart(message: string, from: number): number {
  let words = 0;
  for (const { index } of message.slice(from).matchAll(/ /g)) {
    words += 1;
    if (words > MOST_WORDS_AFTER) return from + index;
  }
  return message.length;
}

/** Position of a value that occurs once, as a separate word; otherwise -1. */
function placeOf(message: string, value: string): number {
  const start = message.indexOf(value);
  if (start < 0 || message.indexOf(value, start + 1) >= 0) return -1;
  const isPart = (one: string | undefined): boolean =>
    one !== undefined && /[\p{L}\p{N}_]/u.test(one);
  return isPart(message[start - 1]) || isPart(message[start + value.length]) ? -1 : start;
}

function captureOf(field: string, value: string): string {
  const bytes = utf8.encode(value);
  switch (fieldEntry(field)?.type) {
    case 'ip':
      return addressEnd(bytes, 0, bytes.length) === bytes.length ? `{${field}}` : `{${field}:host}`;
    case 'port':
    case 'number':
    case 'proto':
      return `{${field}}`;
    default:
      return /\s/.test(value) ? `{${field}:text}` : `{${field}:word}`;
  }
}

function wildcardOf(word: string): string {
  const bytes = utf8.encode(word);
  if (addressEnd(bytes, 0, bytes.length) === bytes.length) return '{:ip}';
  return numberOf(bytes, 0, bytes.length, Number.MAX_SAFE_INTEGER) >= 0 ? '{:number}' : '{:word}';
}

function escaped(text: string): string {
  return text.replace(/[\\{}|]/g, '\\$&');
}
