/** `list.preview`: how a list is interpreted, or why it cannot be, for a person who assigns its columns. */
import { DaybookError } from '../../contract/errors.ts';
import type { Result } from '../../contract/operations.ts';
import {
  ListError,
  type MatchList,
  type SegmentInfo,
  eventFields,
  glanceList,
  isListHeading,
  listFieldOf,
} from '../../query/index.ts';
import { type GivenList, textOf, type CaseSession, contextOf } from '../../search/index.ts';

/** Number of rows at its beginning. */
const FIRST_ROWS = 5;

/** An invalid list is not an error here: that is what the preview shows. */
export function previewList(session: CaseSession, given: GivenList): Result<'list.preview'> {
  const { segments } = contextOf(session.snapshot(), { text: '', zone: 'UTC' }, session);
  return previewIn(given, segments, (list) => session.lists.read(list, segments));
}

/**
 * The same for events in these segments.
 * @param read throws DaybookError for an invalid list
 */
export function previewIn(
  given: GivenList,
  segments: readonly SegmentInfo[],
  read: (given: GivenList) => MatchList,
): Result<'list.preview'> {
  const resolve = eventFields(segments);
  const fieldOf = (name: string): string | undefined => listFieldOf(name, resolve);
  let text: string;
  try {
    text = textOf(given.bytes);
  } catch (error) {
    return { form: 'values', header: false, columns: [], first: [], problem: problemOf(error) };
  }
  const { form, header, names, rows } = glanceList(text, {
    header: given.columns === undefined ? undefined : given.header === true,
    most: FIRST_ROWS,
    isHeading: (name) => isListHeading(name, resolve),
  });
  const { fields, columns } = given;
  const asked = (name: string): boolean =>
    fields?.some((one) => one.toLowerCase() === name.toLowerCase()) ?? true;
  const beginning = {
    ...{ form, header },
    columns: names.map((name, at) => ({
      name,
      field:
        columns === undefined
          ? name !== undefined && asked(name)
            ? fieldOf(name)
            : undefined
          : (columns[at] ?? undefined),
    })),
    first: rows.map((row) => [...row]),
  };
  try {
    const { lines, fields: matched, eitherWay, anyType } = read(given);
    return {
      ...beginning,
      understood: {
        ...{ rows: lines.length, fields: [...matched], eitherWay },
        ...(anyType === undefined ? {} : { anyType: { ...anyType } }),
      },
    };
  } catch (error) {
    return { ...beginning, problem: problemOf(error) };
  }
}

/** Hints about lists name options of the command line, and are omitted. */
function problemOf(error: unknown): { message: string; hint?: string } {
  if (!(error instanceof DaybookError)) throw error;
  const { message, hint } = error;
  return hint === undefined || error instanceof ListError ? { message } : { message, hint };
}
