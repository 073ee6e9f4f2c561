/** `daybook event`: everything about one event, its bytes in the evidence, and its note. */
import { bytesText, hexLines } from '../../../engine/contract/words/bytes-text.ts';
import {
  type CellValue,
  type ColumnBatch,
  rowOf,
} from '../../../engine/contract/wire/column-batch.ts';
import { counted } from '../../../engine/contract/words/counted.ts';
import { isClusterAddress } from '../../../engine/contract/cluster-address.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { rawRecord, shownPacket } from '../../../engine/operations/event/event-bytes.ts';
import { eventContext } from '../../../engine/operations/event/event-context.ts';
import { type WholeEvent, wholeEvent } from '../../../engine/operations/event/event.ts';
import { setNote } from '../../../engine/operations/marks/notes.ts';
import { type CaseSession, formatTime } from '../../../engine/search/index.ts';
import { evidence } from '../../compose.ts';
import type { Parsed } from '../arguments.ts';
import type { Command, CommandContext } from '../command.ts';
import { table, visible, write } from '../output.ts';
import { refuseOptions, withClusterSession } from '../on-cluster.ts';
import { withCase } from '../with-case.ts';

/** Mutually exclusive options that select what is shown. */
const FACES = ['raw', 'hex', 'layers', 'around'] as const;

export const eventCommand: Command = {
  spec: {
    name: 'event',
    usage: 'CASE ID',
    summary: 'Shows everything about one event, or its bytes, read from the evidence itself.',
    positionals: { least: 2, most: 2 },
    options: {
      raw: { type: 'boolean', help: 'write its bytes as they are in the evidence, at most 1 MiB' },
      hex: { type: 'boolean', help: 'print the same bytes in hexadecimal and as text' },
      layers: { type: 'boolean', help: 'print the layers of a packet' },
      around: {
        type: 'string',
        value: 'N',
        help: 'print N events of the same host before it and N after it',
      },
      note: { type: 'string', value: 'TEXT', help: "write a note on it; '' removes the note" },
      json: { type: 'boolean', help: 'one JSON document' },
    },
    details: `ID is the value of the field event_id, such as 12:345:
  daybook query CASE 'failed password | fields ts, event_id, message'
daybook findings lists notes, the report prints them, and the audit log records them. On a cluster
a note is kept with its author and time, but is in neither the report nor the audit log of the case.`,
  },
  async run(parsed, context) {
    const [folder, id] = parsed.positionals as [string, string];
    const note = parsed.text('note');
    const faces = FACES.filter((name) => parsed.flag(name) || parsed.text(name) !== undefined);
    if (faces.length > 1)
      throw new DaybookError(
        'usage',
        `--${faces[0]} and --${faces[1]} show different things`,
        'give one of them',
      );
    if (faces.length > 0 && note !== undefined)
      throw new DaybookError(
        'usage',
        `--note writes, but --${faces[0]} shows something`,
        'give one of them',
      );
    if (parsed.flag('raw') && parsed.flag('json'))
      throw new DaybookError('usage', '--raw writes bytes, not JSON', 'leave --json out');
    const around = parsed.whole('around', 0);
    if (isClusterAddress(folder)) return onCluster(folder, id, parsed, context);
    return withCase(folder, context.settings, async (session) => {
      if (note !== undefined) await setNote(session, id, note, context.signal);
      const shown = { session, id, parsed, context };
      if (parsed.flag('raw') || parsed.flag('hex')) await showBytes(shown);
      else if (parsed.flag('layers')) await showLayers(shown);
      else if (around !== undefined) await showAround(shown, around);
      else await showEvent(await wholeEvent(session, id, context.signal), parsed, context);
      return 0;
    });
  },
};

interface Shown {
  readonly session: CaseSession;
  readonly id: string;
  readonly parsed: Parsed;
  readonly context: CommandContext;
}

/** A cluster does not have its bytes. */
async function onCluster(
  address: string,
  id: string,
  parsed: Parsed,
  context: CommandContext,
): Promise<number> {
  refuseOptions(parsed, FACES);
  const note = parsed.text('note');
  const { wholeEventOn } = await import('../../../engine/operations/cluster/events/event.ts');
  const { setNoteOn } = await import('../../../engine/operations/cluster/marks/marks.ts');
  return withClusterSession(address, context.signal, async (session) => {
    if (note !== undefined) await setNoteOn(session.cluster, id, note);
    const { source, ...event } = await wholeEventOn(session, id);
    const { source_id: sourceId, name, path, raw_sha256: sha256 } = source;
    const shown = { id: sourceId, name, path, rawSha256: sha256 ?? undefined };
    await showEvent({ ...event, source: shown }, parsed, context);
    return 0;
  });
}

/** An event in printed form. */
type ShownEvent = WholeEvent<Pick<WholeEvent['source'], 'id' | 'name' | 'path' | 'rawSha256'>> & {
  /** The notes of others, on a cluster. */
  readonly otherNotes?: readonly {
    readonly user: string;
    readonly at: string;
    readonly text: string;
  }[];
};

async function showEvent(
  event: ShownEvent,
  parsed: Parsed,
  context: CommandContext,
): Promise<void> {
  const { out } = context.streams;
  if (parsed.flag('json')) {
    await write(out, `${JSON.stringify(documentOf(event))}\n`);
    return;
  }
  const { source, cut, tags, note, offset, length } = event;
  const place =
    offset === undefined
      ? ''
      : `, byte ${offset}${length === undefined ? '' : `, ${counted(length, 'byte')}`}`;
  const rows: [string, string][] = [
    ['event', event.event],
    ['time', timeOf(event) ?? 'no time'],
    ['kind', event.kind],
    ...event.fields.map(({ name, value }): [string, string] => [
      cut?.fields.includes(name) === true ? `${name} *` : name,
      String(value ?? ''),
    ]),
    ['source', `${source.name} (source ${source.id})${place}`],
  ];
  if (tags.length > 0) rows.push(['tags', tags.join(', ')]);
  if (note !== undefined && note !== '') rows.push(['note', note]);
  for (const one of event.otherNotes ?? [])
    rows.push([`note by ${one.user}`, `${one.text} (${one.at.slice(0, 19)}Z)`]);
  if (event.flow !== undefined && event.flow !== event.event) rows.push(['flow', event.flow]);
  const width = Math.max(...rows.map(([name]) => visible(name).length)) + 2;
  const lines = rows.map(([name, value]) => visible(name).padEnd(width) + visible(value));
  if (cut !== undefined)
    lines.push(
      `* cut out of the message by ${visible(cut.extractor)}, version ${visible(cut.version)}`,
    );
  for (const said of event.timeNotes) lines.push(visible(said));
  if (event.packets !== undefined) lines.push(`its packets: ${visible(event.packets)}`);
  await write(out, `${lines.join('\n')}\n`);
}

function documentOf(event: ShownEvent): unknown {
  const { fields, source, timeNotes, tags, note, offset, length, flow, packets, cut } = event;
  const named = (attribute: boolean): unknown =>
    Object.fromEntries(
      fields.filter((one) => one.attribute === attribute).map(({ name, value }) => [name, value]),
    );
  return {
    ...{ event: event.event, kind: event.kind, ts: timeOf(event) ?? null, timeNotes },
    fields: named(false),
    attrs: named(true),
    ...{ cut, tags, note, otherNotes: event.otherNotes, flow, packets, offset, length },
    source: {
      ...{ id: source.id, name: source.name, path: source.path },
      sha256: source.rawSha256 ?? null,
    },
  };
}

function timeOf({ ts, tsNs, tsDigits }: ShownEvent): string | undefined {
  return ts === undefined ? undefined : formatTime(ts, tsNs, tsDigits);
}

async function showBytes({ session, id, parsed, context }: Shown): Promise<void> {
  const { streams, signal } = context;
  const { bytes, offset, length, truncated, source } = await rawRecord(
    session,
    evidence,
    id,
    signal,
  );
  if (parsed.flag('raw')) {
    // A terminal would interpret control sequences in a record.
    await write(streams.out, streams.out.isTTY === true ? `${visible(bytesText(bytes))}\n` : bytes);
  } else if (parsed.flag('json')) {
    const hex = Buffer.from(bytes).toString('hex');
    await write(streams.out, `${JSON.stringify({ source, offset, length, truncated, hex })}\n`);
  } else {
    streams.err.write(`${visible(source)}, byte ${offset}, ${counted(length, 'byte')}\n`);
    await write(streams.out, `${hexLines(bytes, offset).join('\n')}\n`);
  }
  if (truncated)
    streams.err.write(`the first ${counted(bytes.length, 'byte')} of ${counted(length, 'byte')}\n`);
}

async function showLayers({ session, id, parsed, context }: Shown): Promise<void> {
  const { streams, signal } = context;
  const { frame, layers, notes, ...packet } = await shownPacket(session, evidence, id, signal);
  if (parsed.flag('json')) {
    const hex = Buffer.from(frame).toString('hex');
    await write(streams.out, `${JSON.stringify({ ...packet, layers, notes, hex })}\n`);
    return;
  }
  type Field = (typeof layers)[number]['fields'][number];
  const fieldLines = (fields: readonly Field[], indent: string): string[] =>
    fields.flatMap(({ name, value, fields: below = [] }) => [
      visible(`${indent}${name}: ${value}`),
      ...fieldLines(below, `${indent}  `),
    ]);
  const lines = layers.flatMap(({ name, summary, fields }) => [
    visible(`${name}  ${summary}`.trimEnd()),
    ...fieldLines(fields, '  '),
  ]);
  await write(streams.out, `${[...lines, ...notes.map(visible)].join('\n')}\n`);
}

async function showAround({ session, id, parsed, context }: Shown, n: number): Promise<void> {
  const { streams, signal } = context;
  const { batch, index, of, query } = await eventContext(session, {
    ...{ event: id, of: 'host', before: n, after: n, signal },
    fields: NEIGHBOUR,
  });
  const events = Array.from({ length: batch.rows }, (_, row) => neighbourOf(batch, row));
  if (parsed.flag('json')) {
    await write(streams.out, `${JSON.stringify({ of, query, index, events })}\n`);
    return;
  }
  const rows = events.map((one, i) => [
    ...[i === index ? '>' : '', one.ts, one.event_id],
    ...NEIGHBOUR.map((name) => one[name]),
  ]);
  await write(streams.out, table(['', 'ts', 'event_id', ...NEIGHBOUR], rows, streams.out.columns));
  streams.err.write(
    `its neighbours of the same ${of === 'all' ? 'case' : of}: ${visible(query)}\n`,
  );
}

const NEIGHBOUR = ['host', 'program', 'summary'];

function neighbourOf(batch: ColumnBatch, row: number): Record<string, CellValue> {
  const { ts, ts_ns: tsNs, ts_digits: tsDigits, event_id, ...fields } = rowOf(batch, row);
  const time = { ts: Number(ts), tsNs: Number(tsNs ?? 0), tsDigits: Number(tsDigits ?? 0) };
  return {
    ts: ts === undefined ? null : formatTime(time.ts, time.tsNs, time.tsDigits),
    event_id: event_id ?? null,
    ...Object.fromEntries(NEIGHBOUR.map((name) => [name, fields[name] ?? null])),
  };
}
