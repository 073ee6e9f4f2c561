/** `daybook findings`: tags and notes in report order; sets their severity, place and colour. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { isClusterAddress } from '../../../engine/contract/cluster-address.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import {
  arrangedFindings,
  SEVERITIES,
  TAG_COLORS,
  type FindingName,
} from '../../../engine/contract/findings.ts';
import {
  getFinding,
  listFindings,
  resetOrder,
  setFinding,
  type Finding,
  type FindingChange,
} from '../../../engine/operations/marks/findings.ts';
import { eventIdOf, eventKey } from '../../../engine/search/index.ts';
import type { Parsed } from '../arguments.ts';
import type { Command } from '../command.ts';
import { table, write } from '../output.ts';
import { withClusterSession } from '../on-cluster.ts';
import { withCase } from '../with-case.ts';

const SORTS = ['place', 'severity'] as const;

export const findingsCommand: Command = {
  spec: {
    name: 'findings',
    usage: 'CASE [FINDING]',
    summary:
      'Lists tags and notes in report order, or sets the severity, place or colour of one FINDING.',
    positionals: { least: 1, most: 2 },
    options: {
      least: { type: 'string', value: 'SEVERITY', help: 'list only findings at least this severe' },
      sort: { type: 'string', value: 'BY', help: `${SORTS.join(' or ')} (default place)` },
      'reset-order': {
        type: 'boolean',
        help: 'remove all places that were set, so that the most severe findings come first again',
      },
      severity: {
        type: 'string',
        value: 'SEVERITY',
        help: `severity of FINDING: ${SEVERITIES.join(', ')}, or none`,
      },
      place: {
        type: 'string',
        value: 'PLACE',
        help: 'place of FINDING in the report: up, down, a number of 1 or more, or none',
      },
      color: {
        type: 'string',
        value: 'COLOUR',
        help: `colour of a tag: ${TAG_COLORS.join(', ')}, or none for the default`,
      },
      json: { type: 'boolean', help: 'one JSON document' },
    },
    details: `FINDING is tag:NAME, or the id of an event with a note, such as 12:345. Findings with a place come
first. The others follow, the most severe first; equally severe notes by time, then tags by name. Each change is
recorded in the audit log; on a cluster it is kept with its author and time.`,
  },
  async run(parsed, { streams, settings, signal }) {
    const [folder, name] = parsed.positionals as [string, string?];
    refuseMisplaced(parsed, name === undefined);
    const tell = async (found: readonly Finding[]): Promise<number> => {
      if (parsed.flag('json')) await write(streams.out, `${JSON.stringify(found)}\n`);
      else if (found.length > 0)
        await write(streams.out, tableOf(found, streams.out.columns, isClusterAddress(folder)));
      else
        streams.err.write(
          parsed.text('least') === undefined
            ? 'no event has a tag or a note\n'
            : 'no finding is that severe\n',
        );
      return 0;
    };
    const ask = name === undefined ? listOf(parsed) : changeOf(parsed, nameOf(name));
    if (!isClusterAddress(folder))
      return withCase(folder, settings, async (session) =>
        tell(
          await ask({
            list: () => listFindings(session, signal),
            get: async (one) => [await getFinding(session, one, signal)],
            set: (one, change) => setFinding(session, one, change, signal),
            resetOrder: async () => resetOrder(session),
          }),
        ),
      );
    const on = await import('../../../engine/operations/cluster/marks/findings.ts');
    return withClusterSession(folder, signal, async (session) =>
      tell(
        await ask({
          list: () => on.findingsOn(session),
          get: (one) => on.findingOn(session, one),
          set: (one, change) => on.setFindingOn(session, one, change),
          resetOrder: () => on.resetOrderOn(session),
        }),
      ),
    );
  },
};

/** The findings of a case, or of one on a cluster. */
interface Findings {
  list(): Promise<Finding[]>;
  /** One finding; for an event, each person's note. */
  get(name: FindingName): Promise<Finding[]>;
  set(name: FindingName, change: FindingChange): Promise<void>;
  resetOrder(): Promise<void>;
}

type Ask = (findings: Findings) => Promise<readonly Finding[]>;

/** Options for the list, and for one finding. */
const OF_LIST = ['least', 'sort', 'reset-order'];
const OF_ONE = ['severity', 'place', 'color'];

/** @throws DaybookError usage */
function refuseMisplaced(parsed: Parsed, isList: boolean): void {
  for (const name of isList ? OF_ONE : OF_LIST)
    if (parsed.text(name) !== undefined || parsed.flag(name))
      throw new DaybookError(
        'usage',
        isList ? `--${name} needs a FINDING` : `--${name} applies to the list, not to one FINDING`,
        'see: daybook findings --help',
      );
}

function listOf(parsed: Parsed): Ask {
  const least = oneOf('least', parsed.text('least'), SEVERITIES);
  const sort = oneOf('sort', parsed.text('sort'), SORTS) ?? 'place';
  return async (findings) => {
    if (parsed.flag('reset-order')) await findings.resetOrder();
    return arrangedFindings(await findings.list(), least, sort);
  };
}

/** Applies the changes, if any, and returns the finding. */
function changeOf(parsed: Parsed, name: FindingName): Ask {
  const given = <T extends string>(option: string, among: readonly T[]): T | null | undefined => {
    const value = oneOf(option, parsed.text(option), [...among, NONE]);
    return value === NONE ? null : value;
  };
  const severity = given('severity', SEVERITIES);
  const color = given('color', TAG_COLORS);
  const place = placeOf(parsed.text('place'));
  const change = { severity, color, place };
  return async (findings) => {
    if (Object.values(change).some((value) => value !== undefined))
      await findings.set(name, change);
    return findings.get(name);
  };
}

const NONE = 'none';

/** Computes a finding's new place from its current one; null removes it. */
function placeOf(text: string | undefined): ((now: number) => number) | null | undefined {
  if (text === undefined) return undefined;
  if (text === NONE) return null;
  if (text === 'up') return (now) => Math.max(1, now - 1);
  if (text === 'down') return (now) => now + 1;
  const place = Number(text);
  if (/^\d{1,9}$/.test(text) && place > 0) return () => place;
  throw new DaybookError(
    'usage',
    `${JSON.stringify(text)} is not a place in the report`,
    'give up, down, none, or a number of 1 or more',
  );
}

/** @throws DaybookError usage */
function oneOf<T extends string>(
  option: string,
  text: string | undefined,
  among: readonly T[],
): T | undefined {
  if (text === undefined) return undefined;
  const found = among.find((one) => one === text);
  if (found !== undefined) return found;
  throw new DaybookError(
    'usage',
    `--${option} takes ${among.join(', ')}, not ${JSON.stringify(text)}`,
    'see: daybook findings --help',
  );
}

/** @throws DaybookError usage */
function nameOf(text: string): FindingName {
  const tag = /^tag:(.+)$/s.exec(text)?.[1];
  if (tag !== undefined) return { tag };
  if (/^\d/.test(text)) return { event: eventIdOf(eventKey(text)) };
  throw new DaybookError(
    'usage',
    `${JSON.stringify(text)} is not a finding`,
    'a finding is tag:NAME, or the id of an event with a note, such as 12:345',
  );
}

/** @param isShared several people write notes */
function tableOf(found: readonly Finding[], width: number | undefined, isShared: boolean): string {
  return table(
    ['place', 'severity', 'finding', 'color', 'time', 'what'],
    found.map((one) => [
      one.place,
      one.severity ?? '-',
      ...(one.kind === 'tag'
        ? [`tag:${one.tag}`, one.color, spanText(one.first, one.last), counted(one.count, 'event')]
        : [
            ...[one.event, '', one.hidden ? 'not shown' : (one.time ?? 'no time')],
            isShared ? `${one.user}: ${one.text}` : one.text,
          ]),
    ]),
    width,
  );
}

function spanText(first: string | undefined, last: string | undefined): string {
  if (first === undefined || last === undefined) return 'no time';
  return first === last ? first : `${first} – ${last}`;
}
