/** `daybook hosts`: the addresses of a case with their names, users and services. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { isClusterAddress } from '../../../engine/contract/cluster-address.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { HOST_FACTS, type FactName } from '../../../engine/operations/query/hosts/host-clues.ts';
import {
  asksCase,
  hosts,
  type Host,
  type HostAsker,
} from '../../../engine/operations/query/hosts/hosts.ts';
import { TIME_OPTIONS, type Command } from '../command.ts';
import { count, isoMicros, table, visible, write } from '../output.ts';
import { withClusterSession } from '../on-cluster.ts';
import { withCase } from '../with-case.ts';
import { givenRange } from '../options/time-range.ts';

const DEFAULT_HOSTS = 50;
/** Values of a kind in the table. */
const SHOWN = 2;
/** The limit for a single host. */
const SHOWN_OF_ONE = 30;
const HEADINGS: Readonly<Record<FactName, string>> = {
  ...{ name: 'names', mac: 'hardware addresses', user: 'users', system: 'systems' },
  ...{ offers: 'services offered', uses: 'services used' },
};

export const hostsCommand: Command = {
  spec: {
    name: 'hosts',
    usage: "CASE ['QUERY']",
    summary:
      'Lists the addresses of the events that a query finds, with their names, hardware addresses, users, systems and services.',
    positionals: { least: 1, most: 2 },
    options: {
      ...TIME_OPTIONS,
      of: {
        type: 'string',
        value: 'ADDRESS',
        help: 'only this address, in full; or the addresses of a block, or private',
      },
      n: { type: 'string', value: 'N', help: `how many hosts (default ${DEFAULT_HOSTS})` },
      json: { type: 'boolean', help: 'one JSON document with all that is known of each host' },
    },
    details: `Examples:
  daybook hosts CASE --of private
  daybook hosts CASE --of 10.0.0.7
  daybook hosts CASE 'tag:suspicious' --from 2026-11-21
Hosts with the most events come first. Bytes sent and received are those of flows, whichever side opened them (– means not
stated); "both ways" adds up flows that state only one number for both directions. Names come from DNS answers, DHCP, NTLM,
TLS and HTTP; users from logins and sessions of an address; services from connections that were answered.`,
  },
  async run(parsed, { streams, settings, signal }) {
    const [folder, query = '*'] = parsed.positionals as [string, string | undefined];
    const range = givenRange(parsed);
    const of = parsed.text('of');
    if (of !== undefined && !/^[0-9a-z.:/]+$/i.test(of))
      throw new DaybookError(
        'usage',
        `${JSON.stringify(of)} is not an address`,
        'give an address, a block such as 10.0.0.0/8, or private',
      );
    const ofAsker = async (asker: HostAsker): Promise<number> => {
      const limit = parsed.whole('n', 1) ?? DEFAULT_HOSTS;
      const list = await hosts(asker, { query, ...range, of, limit }, signal);
      if (parsed.flag('json')) {
        await write(streams.out, `${JSON.stringify(list)}\n`);
        return 0;
      }
      const [only] = list.hosts;
      if (list.hosts.length === 1 && only !== undefined) await write(streams.out, allOf(only));
      else if (list.hosts.length > 0)
        await write(streams.out, tableOf(list.hosts, streams.out.columns));
      if (list.total === 0) streams.err.write('none of these events has an address\n');
      if (list.total > list.hosts.length)
        streams.err.write(
          `${counted(list.total - list.hosts.length, 'more host')}; all with --n ${list.total}\n`,
        );
      for (const note of list.notes) streams.err.write(`${visible(note)}\n`);
      return 0;
    };
    if (!isClusterAddress(folder))
      return withCase(folder, settings, (session) => ofAsker(asksCase(session)));
    const { asksCluster } = await import('../../../engine/operations/cluster/asks-cluster.ts');
    return withClusterSession(folder, signal, ({ cluster, context }) =>
      ofAsker(asksCluster(cluster, context)),
    );
  },
};

function tableOf(all: readonly Host[], width: number | undefined): string {
  // If no flow states its two directions together, nothing need be said about it.
  const hasBoth = all.some(({ bothWays }) => bothWays !== undefined);
  const rows = all.map(({ address, events, sent, received, bothWays, first, last, facts }) => {
    const namesIn = (name: FactName): string => {
      const values = facts[name].values.map(valueText);
      const left = values.length - SHOWN + facts[name].more;
      return [...values.slice(0, SHOWN), ...(left > 0 ? [`+${left}`] : [])].join(', ');
    };
    const texts = [namesIn('name'), namesIn('mac'), namesIn('user'), namesIn('offers')];
    const bytes = [sent, received, ...(hasBoth ? [bothWays] : [])].map((n) => n ?? '–');
    return [address, events, ...bytes, ...texts, isoMicros(first), isoMicros(last)];
  });
  const names = [
    ...['address', 'events', 'sent', 'received', ...(hasBoth ? ['both ways'] : [])],
    ...['names', 'hardware', 'users', 'offers', 'first', 'last'],
  ];
  return table(names, rows, width);
}

function valueText({ value, vendor }: Host['facts'][FactName]['values'][number]): string {
  return vendor === undefined ? value : `${value} (${vendor})`;
}

function allOf({ address, events, sent, received, bothWays, first, last, facts }: Host): string {
  const volumes = [
    ...(sent === undefined ? [] : [`${count(sent)} sent`]),
    ...(received === undefined ? [] : [`${count(received)} received`]),
    ...(bothWays === undefined ? [] : [`${count(bothWays)} both ways together`]),
  ];
  const bytes = volumes.length === 0 ? '' : `bytes: ${volumes.join(', ')}\n`;
  const parts = [
    `${address}: ${counted(events, 'event')}, ${isoMicros(first) ?? 'no time'} to ${isoMicros(last) ?? 'no time'}\n${bytes}`,
  ];
  for (const name of HOST_FACTS) {
    const { values, more } = facts[name];
    if (values.length === 0) continue;
    const rows = values
      .slice(0, SHOWN_OF_ONE)
      .map((one) => [
        ...[
          valueText(one),
          one.events,
          isoMicros(one.first),
          isoMicros(one.last),
          one.by.join(', '),
        ],
      ]);
    const left = values.length - rows.length + more;

    parts.push(
      `\n${HEADINGS[name]}\n${table(['value', 'events', 'first', 'last', 'by'], rows, undefined)}`,
      ...(left === 0 ? [] : [`${count(left)} more\n`]),
    );
  }
  return parts.join('');
}
