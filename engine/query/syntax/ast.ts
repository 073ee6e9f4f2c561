/**
 * The syntax tree of a query: the text's structure, with positions, before any name is looked up.
 *
 * Invariant: every node keeps its position in the text (`start` inclusive, `end` exclusive, in UTF-16 units), so
 * that later errors can point to it. The language: docs/query-language.md.
 */
import { FUNCTIONS } from './lexemes.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export type CompareOp = '>' | '>=' | '<' | '<=' | '=';

/** A test of a field. */
export type Test =
  /** A word: `*` and `?` in it are wildcards. */
  | { readonly test: 'word'; readonly text: string }
  /** Text in quotes, without special characters. */
  | { readonly test: 'quoted'; readonly text: string }
  | {
      readonly test: 'regex';
      readonly pattern: string;
      readonly ignoreCase: boolean;
      /** Where the pattern itself begins. */
      readonly at: number;
    }
  | { readonly test: 'compare'; readonly op: CompareOp; readonly value: string }
  | {
      readonly test: 'range';
      /** Undefined: open on that side. */
      readonly low: string | undefined;
      readonly high: string | undefined;
      readonly lowIncluded: boolean;
      readonly highIncluded: boolean;
    }
  /** `field:*`. */
  | { readonly test: 'present' };

interface AllNode extends Span {
  readonly node: 'all';
}
/** A word or phrase without a field. */
interface TextNode extends Span {
  readonly node: 'text';
  readonly text: string;
  readonly quoted: boolean;
}
export interface FieldNode extends Span {
  readonly node: 'field';
  readonly name: string;
  readonly test: Test;
  /** The value after a comparison sign, if it may be the name of another field: `src_ip = dst_ip`. */
  readonly against?: Name;
  /** Whether an inner query returned the value: evidence has it, whatever the field can hold. */
  readonly given?: true;
}
/** `len(message) > 100`, `bytes > 2 * packets`; without a sign: `match(host, /^web/)`. */
export interface ComparedNode extends Span {
  readonly node: 'compared';
  readonly left: ValueNode;
  readonly op: CompareOp | undefined;
  readonly right: ValueNode | undefined;
  readonly written: string;
}
interface NotNode extends Span {
  readonly node: 'not';
  readonly item: Expression;
}
interface GroupNode extends Span {
  readonly node: 'and' | 'or';
  readonly items: readonly Expression[];
}
/** A pattern without a field: `/Failed.*root/`, searched where words are. */
export interface PatternNode extends Span {
  readonly node: 'pattern';
  readonly test: Extract<Test, { test: 'regex' }>;
}
/**
 * `user=root`, which logs contain as text as well: the test if events have a field of that name, otherwise the
 * text. The planner decides and reports it.
 */
export interface FieldOrTextNode extends Span {
  readonly node: 'field-or-text';
  readonly field: Expression;
  readonly text: Expression;
  /** Whether it may be words even if there is such a field: `message contains error`. */
  readonly doubtful: boolean;
}
/** `src_ip in [ query | values dst_ip ]`: values from an inner query, which is answered first (within.ts). */
export interface WithinNode extends Span {
  readonly node: 'within';
  readonly name: string;
  readonly query: Ast;
}
export type Expression =
  | AllNode
  | TextNode
  | PatternNode
  | FieldNode
  | ComparedNode
  | WithinNode
  | FieldOrTextNode
  | NotNode
  | GroupNode;

/** An expression: a literal, a field, or a function of others. */
export type ValueNode = Span &
  (
    | { readonly value: 'number'; readonly number: number }
    | { readonly value: 'text'; readonly text: string }
    | { readonly value: 'nothing' }
    | { readonly value: 'field'; readonly name: string }
    | { readonly value: 'interval'; readonly interval: Interval }
    | { readonly value: 'pattern'; readonly pattern: string; readonly ignoreCase: boolean }
    | { readonly value: 'condition'; readonly filter: Expression }
    | {
        readonly value: 'call';
        readonly fn: string;
        readonly args: readonly ValueNode[];
        /** As written, if it has brackets: a column may have that name. */
        readonly written?: string;
      }
  );

/** A field by its name as written, or an expression in place of one, named as written. */
export interface Name extends Span {
  readonly name: string;
  readonly expression?: ValueNode;
}

export { FUNCTIONS };
/** `p50` represents any percentile. */
export type FunctionName = (typeof FUNCTIONS)[number] | `p${number}`;

/** One computed column: `sum(bytes) as b`. Only `count` has no argument. */
export interface Measure extends Span {
  readonly fn: FunctionName;
  readonly of: Name | undefined;
  /** Its column's name: what follows `as`, or the text itself (`sum(bytes)`). */
  readonly as: string;
}

/** A template or pattern that cuts fields out of a text; `at`: its position. */
export type Cut = { readonly at: number } & (
  | { readonly form: 'template'; readonly template: string }
  | { readonly form: 'pattern'; readonly pattern: string; readonly ignoreCase: boolean }
);

export interface Renamed {
  readonly from: Name;
  readonly to: Name;
}

/** A number of events that meet a filter. */
export interface SequenceStep extends Span {
  readonly filter: Expression;
  readonly times: number;
}

export interface SortKey {
  readonly by: Name;
  readonly descending: boolean;
}

/** In microseconds. */
export const INTERVAL_UNITS = {
  ...{ ms: 1e3, s: 1e6, m: 60e6 },
  ...{ h: 3600e6, d: 86_400e6, w: 604_800e6 },
} as const;
export type IntervalUnit = keyof typeof INTERVAL_UNITS;

export interface Interval extends Span {
  readonly count: number;
  readonly unit: IntervalUnit;
}

export function intervalMicros({ count, unit }: Interval): number {
  return count * INTERVAL_UNITS[unit];
}

export type Stage = Span &
  (
    | { readonly stage: 'count' }
    | {
        readonly stage: 'top';
        readonly limit: number;
        readonly fields: readonly Name[];
        readonly by: Measure;
      }
    | {
        readonly stage: 'rare';
        readonly limit: number;
        readonly fields: readonly Name[];
        readonly by: Measure;
      }
    | {
        readonly stage: 'eval';
        readonly as: Name;
        readonly value: ValueNode;
        /** Groups within which rows have a previous one; empty: all rows form one. */
        readonly by: readonly Name[];
      }
    | {
        readonly stage: 'lookup';
        /** As written. */
        readonly file: string;
        readonly on: Name;
        /** The column of the file to compare; the one named like the field if omitted. */
        readonly key: Name | undefined;
      }
    | { readonly stage: 'unnest'; readonly field: Name }
    | { readonly stage: 'rename'; readonly names: readonly Renamed[] }
    | { readonly stage: 'extract'; readonly from: Name; readonly given: Cut }
    | { readonly stage: 'parse'; readonly form: 'json' | 'kv'; readonly from: Name }
    | {
        readonly stage: 'timeline';
        readonly interval: Interval | undefined;
        readonly by: Name | undefined;
        /** The number to spread over the buckets that an event's duration touches. */
        readonly spread: Name | undefined;
        /** Measure of each bucket, in addition to the number of events. */
        readonly measure?: Measure | undefined;
      }
    | {
        readonly stage: 'stats';
        readonly measures: readonly Measure[];
        readonly by: readonly Name[];
      }
    | { readonly stage: 'where'; readonly filter: Expression }
    /** `without`: all but these. */
    | { readonly stage: 'fields'; readonly fields: readonly Name[]; readonly without?: boolean }
    | { readonly stage: 'sort'; readonly keys: readonly SortKey[] }
    | { readonly stage: 'head'; readonly limit: number }
    | { readonly stage: 'tail'; readonly limit: number }
    | { readonly stage: 'dedup'; readonly fields: readonly Name[] }
    | {
        readonly stage: 'session';
        readonly by: readonly Name[];
        /** A longer one ends a session. */
        readonly gap: Interval;
      }
    | {
        readonly stage: 'sequence';
        readonly by: readonly Name[];
        /** Maximum time from the first event of a match to the last. */
        readonly within: Interval | undefined;
        readonly steps: readonly SequenceStep[];
      }
    | { readonly stage: 'talkers'; readonly limit: number | undefined }
    | { readonly stage: 'values'; readonly field: Name }
    | { readonly stage: 'patterns'; readonly limit: number; readonly descending: boolean }
    | { readonly stage: 'union'; readonly query: Ast }
  );
export type StageName = Stage['stage'];

export interface Ast {
  readonly text: string;
  readonly filter: Expression;
  readonly stages: readonly Stage[];
  /** How ambiguous parts were read, in words for the person who wrote them. */
  readonly readings: readonly string[];
}

/** Calls `visit` for every node of `root`, parents first. */
export function walk(root: Expression, visit: (node: Expression) => void): void {
  visit(root);
  if (root.node === 'not') walk(root.item, visit);
  else if (root.node === 'field-or-text') walk(root.field, visit);
  else if (root.node === 'and' || root.node === 'or') {
    for (const item of root.items) walk(item, visit);
  }
}
