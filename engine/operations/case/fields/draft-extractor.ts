/**
 * Defines a field in the window: from text that a person selected in an event's message, a template is proposed,
 * tried on the case's events, and saved as an extractor of the case. There is one such extractor for each program.
 */
import { DaybookError } from '../../../contract/errors.ts';
import { cutFields } from '../../../fields/cutting/cut-fields.ts';
import { programOf } from '../../../fields/cutting/extractor.ts';
import { cutterWith, readOwnExtractor } from '../../../fields/cutting/own-extractors.ts';
import { bodyOf, proposeTemplate } from '../../../fields/cutting/propose.ts';
import { fieldEntry } from '../../../fields/registry/registry.ts';
import { type CaseSession, shownRows, startQuery } from '../../../search/index.ts';
import { wholeEvent } from '../../event/event.ts';

interface DraftRequest {
  readonly event: string;
  readonly field: string;
  /** Of the selection, in the text returned by `draftMessage`. */
  readonly start: number;
  readonly end: number;
  /** As edited by a person; undefined: as proposed. */
  readonly template?: string | undefined;
}

interface Draft {
  readonly name: string;
  readonly version: number;
  readonly template: string;
  /** The file. */
  readonly document: string;
}

interface DraftTrial extends Omit<Draft, 'document'> {
  /** Number of events of the program that were tried. */
  readonly events: number;
  /** Whether these are all. */
  readonly isWhole: boolean;
  readonly fits: number;
  readonly examples: readonly {
    readonly message: string;
    readonly value: string;
    readonly fields: readonly { readonly name: string; readonly value: string }[];
  }[];
}

const MOST_EVENTS = 200_000;
const MOST_EXAMPLES = 8;

interface Message {
  readonly program: string;
  readonly message: string;
  /** Fields that are cut out of it now. */
  readonly known: Readonly<Record<string, string>>;
}

/** The message in which a person selects text. @throws DaybookError usage if the event has no message */
export async function draftMessage(
  session: CaseSession,
  event: string,
  signal: AbortSignal,
): Promise<Message> {
  const { fields, kind } = await wholeEvent(session, event, signal);
  const text = (name: string): string =>
    String(fields.find((one) => !one.attribute && one.name === name)?.value ?? '');
  const program = text('program');
  const message = bodyOf(program, text('message'));
  if (kind !== 'log' || message === '')
    throw new DaybookError(
      'usage',
      'fields are extracted from the messages of logs; this event has no message',
    );
  const documents = session.catalog.extractors.all().map(({ document }) => document);
  const { extractor, ...known } = cutFields(cutterWith(documents), program, message);
  return { program, message, known: extractor === undefined ? {} : known };
}

/** @throws DaybookError usage that says what is wrong with it */
async function draft(
  session: CaseSession,
  request: DraftRequest,
  signal: AbortSignal,
): Promise<Draft> {
  const { program, message, known } = await draftMessage(session, request.event, signal);
  const { field, start, end } = request;
  if (fieldEntry(field)?.cut !== true)
    throw new DaybookError(
      'usage',
      `${field === '' ? 'no name' : field} is not a field that an extractor can fill`,
    );
  if (start >= end || end > message.length)
    throw new DaybookError('usage', 'select the value in the message');
  const template =
    request.template ?? proposeTemplate(message, { field, start, end }, withoutHost(known));
  const names = new Set(
    [...template.matchAll(/\{([a-z0-9_]+)(?::[a-z0-9]+)?\}/g)].map(([, one]) => one),
  );
  // Constant fields are kept as well.
  const set = Object.fromEntries(
    Object.entries(known).filter(
      ([name, value]) =>
        !names.has(name) && !message.includes(value) && fieldEntry(name)?.cut === true,
    ),
  );
  const name = `own-${
    program
      .toLowerCase()
      .replace(/[^a-z0-9_.-]+/g, '-')
      .slice(0, 32) || 'lines'
  }`;
  const before = session.catalog.extractors.all().find((one) => one.name === name);
  const older = before && readOwnExtractor(before.document, name);
  const version = (before?.version ?? 0) + 1;
  const heading = {
    extractor: name,
    version,
    for: program === '' ? 'Lines that name no program' : `Messages of ${program}`,
    leavesOut: 'Messages that no template fits.',
    programs: [program.toLowerCase()],
  };
  const kept = older === undefined ? [] : templatesOf(older.document);
  const made = { text: template, ...(Object.keys(set).length > 0 ? { set } : {}) };
  const first = JSON.stringify({ ...heading, templates: [made, ...kept] });
  // The results for the messages from which the file was made become its samples.
  const cutter = cutterWith([first]);
  const samplesOf = (messages: readonly string[]): unknown[] =>
    messages.flatMap((one) => {
      const { extractor, ...fields } = cutFields(cutter, programOf(heading.programs), one);
      return extractor === `${name}/${version}` ? [[one, fields]] : [];
    });
  const templates = [
    { ...made, samples: samplesOf([message]) },
    ...kept.map((one) => ({
      ...one,
      samples: samplesOf((one.samples ?? []).map(([sample]) => sample)),
    })),
  ];
  const document = `${JSON.stringify({ ...heading, templates }, undefined, 2)}\n`;
  readOwnExtractor(document, name);
  return { name, version, template, document };
}

interface GivenTemplate {
  readonly text: string;
  readonly samples?: readonly (readonly [string, unknown])[];
}

function templatesOf(document: string): readonly GivenTemplate[] {
  return (JSON.parse(document) as { readonly templates: readonly GivenTemplate[] }).templates;
}

/** A host that a message names would replace its event's: nobody requested that. */
function withoutHost({
  host: _,
  ...rest
}: Readonly<Record<string, string>>): Record<string, string> {
  return rest;
}

/** Tries a template on the first events of its program. @throws DaybookError usage */
export async function tryDraft(
  session: CaseSession,
  request: DraftRequest,
  signal: AbortSignal,
): Promise<DraftTrial> {
  const { document, ...made } = await draft(session, request, signal);
  const { program } = await draftMessage(session, request.event, signal);
  const { name, version } = made;
  const cutter = cutterWith([document]);
  const of = program === '' ? 'NOT program:*' : `program:${JSON.stringify(program)}`;
  const running = startQuery(session, {
    ...{ text: `kind:log ${of} | fields program, message`, zone: 'UTC', signal },
    ...{ operation: 'extractor.try', limit: MOST_EVENTS + 1 },
  });
  let events = 0;
  let fits = 0;
  const examples: DraftTrial['examples'][number][] = [];
  for await (const records of shownRows(running, 'UTC'))
    for (const { program: from, message } of records) {
      if (events === MOST_EVENTS) return { ...made, events, isWhole: false, fits, examples };
      events += 1;
      if (typeof message !== 'string') continue;
      const { extractor, ...fields } = cutFields(
        cutter,
        typeof from === 'string' ? from : '',
        message,
      );
      if (extractor !== `${name}/${version}`) continue;
      fits += 1;
      if (examples.length === MOST_EXAMPLES) continue;
      examples.push({
        message,
        value: fields[request.field] ?? '',
        fields: Object.entries(fields).map(([field, value]) => ({ name: field, value })),
      });
    }
  return { ...made, events, isWhole: true, fits, examples };
}

/** The file to save. @throws DaybookError usage if it does not fit the message it was made from */
export async function draftDocument(
  session: CaseSession,
  request: DraftRequest,
  signal: AbortSignal,
): Promise<Draft> {
  const made = await draft(session, request, signal);
  const { extractor } = readOwnExtractor(made.document, made.name);
  if (!extractor.samples.some(({ fields }) => fields[request.field] !== undefined))
    throw new DaybookError('usage', `the template does not find ${request.field} in this message`);
  return made;
}
