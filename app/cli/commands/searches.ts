/** `daybook searches`: the saved searches of a case. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { isClusterAddress } from '../../../engine/contract/cluster-address.ts';
import { formatView, parseView } from '../../../engine/contract/view-string.ts';
import {
  deleteSearch,
  listSearches,
  saveSearch,
} from '../../../engine/operations/marks/searches.ts';
import { parseQuery } from '../../../engine/search/index.ts';
import { TIME_OPTIONS, type Command, type CommandContext } from '../command.ts';
import { withClusterSession } from '../on-cluster.ts';
import { isoMicros, table, visible, write } from '../output.ts';
import { givenRange } from '../options/time-range.ts';
import { withCase } from '../with-case.ts';

type Search = ReturnType<typeof listSearches>[number];

export const searchesCommand: Command = {
  spec: {
    name: 'searches',
    usage: 'CASE [NAME]',
    summary: 'Lists the saved searches of a case; saves or removes one.',
    positionals: { least: 1, most: 2 },
    options: {
      save: {
        type: 'string',
        value: 'QUERY',
        help: 'save QUERY as NAME, with the time range given',
      },
      ...TIME_OPTIONS,
      note: { type: 'string', value: 'TEXT', help: 'a note on the search' },
      remove: { type: 'boolean', help: 'remove NAME' },
      json: { type: 'boolean', help: 'one JSON document' },
    },
    details: `daybook query CASE --saved NAME runs one. The window shows the same searches. Each change is in the audit log;
on a cluster they are kept with their author and time.`,
  },
  async run(parsed, context) {
    const { streams } = context;
    const [folder, name] = parsed.positionals as [string, string?];
    const [query, note] = [parsed.text('save'), parsed.text('note')];
    const isRemoved = parsed.flag('remove');
    if (name === undefined && (query !== undefined || isRemoved))
      throw new DaybookError(
        'usage',
        `--${isRemoved ? 'remove' : 'save'} needs a NAME`,
        'see: daybook searches --help',
      );
    if (query !== undefined && isRemoved)
      throw new DaybookError('usage', '--save and --remove are opposites', 'give one of them');
    if (query === undefined && note !== undefined)
      throw new DaybookError('usage', '--note needs --save', 'see: daybook searches --help');
    const range = ['from', 'to', 'tz'].find((option) => parsed.text(option) !== undefined);
    if (query === undefined && range !== undefined)
      throw new DaybookError(
        'usage',
        `--${range} needs --save`,
        'to run a saved search with a time range: daybook query CASE --saved NAME --from …',
      );
    const { from, to, zone } = givenRange(parsed);
    if (query !== undefined) parseQuery(query);
    return withSearches(folder, context, async (searches) => {
      if (query !== undefined) {
        const isNew = (await searches.list()).every((one) => one.name !== name);
        const before = isNew ? undefined : await searchNamed(searches, name!);
        await searches.save({
          ...(before === undefined ? {} : { id: before.id }),
          note: note ?? before?.note ?? '',
          name: name!,
          // The window's display settings stay.
          view: formatView({ ...parseView(before?.view ?? ''), query, from, to, zone }),
        });
      } else if (isRemoved) await searches.remove((await searchNamed(searches, name!)).id);
      const shown =
        name === undefined || isRemoved
          ? await searches.list()
          : [await searchNamed(searches, name)];
      if (parsed.flag('json'))
        await write(streams.out, `${JSON.stringify({ searches: shown.map(documentOf) })}\n`);
      else if (shown.length > 0) await write(streams.out, tableOf(shown, streams.out.columns));
      else streams.err.write('this case has no saved searches\n');
      return 0;
    });
  },
};

/** The saved searches of a case, or of one on a cluster. */
interface Searches {
  list(): Promise<readonly Search[]>;
  save(search: Parameters<typeof saveSearch>[1]): Promise<unknown>;
  remove(id: number): Promise<void>;
}

/** Opens them while `use` runs, and returns its result. */
export async function withSearches(
  place: string,
  { settings, signal }: Pick<CommandContext, 'settings' | 'signal'>,
  use: (searches: Searches) => Promise<number>,
): Promise<number> {
  if (!isClusterAddress(place))
    return withCase(place, settings, (session) =>
      use({
        list: async () => listSearches(session),
        save: async (search) => saveSearch(session, search),
        remove: async (id) => deleteSearch(session, id),
      }),
    );
  const on = await import('../../../engine/operations/cluster/marks/searches.ts');
  return withClusterSession(place, signal, ({ cluster }) =>
    use({
      list: () => on.searchesOn(cluster),
      save: (search) => on.saveSearchOn(cluster, search),
      remove: (id) => on.deleteSearchOn(cluster, id),
    }),
  );
}

/** @throws DaybookError unknown-name if none or several have this name */
export async function searchNamed(searches: Searches, name: string): Promise<Search> {
  const all = await searches.list();
  const found = all.filter((one) => one.name === name);
  if (found.length === 1) return found[0]!;
  throw new DaybookError(
    'unknown-name',
    found.length === 0
      ? `there is no saved search ${JSON.stringify(name)}`
      : `${counted(found.length, 'saved search has', 'saved searches have')} the name ${JSON.stringify(name)}`,
    found.length > 0
      ? 'give them different names in the window'
      : all.length === 0
        ? "daybook searches CASE NAME --save 'QUERY' saves one"
        : `saved searches: ${all.map((one) => one.name).join(', ')}`,
  );
}

function documentOf({ id, name, note, view, createdAt }: Search): unknown {
  const { query, from, to, zone } = parseView(view);
  return { id, name, query, from: isoMicros(from), to: isoMicros(to), tz: zone, note, createdAt };
}

function tableOf(searches: readonly Search[], width: number | undefined): string {
  return table(
    ['name', 'from', 'to', 'query', 'note'],
    searches.map(({ name, note, view }) => {
      const { query, from, to } = parseView(view);
      return [name, isoMicros(from) ?? '-', isoMicros(to) ?? '-', query, visible(note)];
    }),
    width,
  );
}
