/**
 * HTML that is safe by construction: markup is made by `markup` alone, which escapes every text put into it.
 * Control, format and direction characters of a text are shown as escapes (`\u202e`), never sent.
 */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

export type Piece = string | number | Html | undefined | readonly Piece[];

/** A template of markup; texts in it are escaped. In attributes use only words, numbers and `attribute`. */
export function markup(parts: TemplateStringsArray, ...pieces: Piece[]): Html {
  const fixed = withoutIndent(parts);
  let text = fixed[0] ?? '';
  pieces.forEach((piece, i) => {
    text += markupOf(piece) + (fixed[i + 1] ?? '');
  });
  return new Html(text);
}

const unindented = new WeakMap<TemplateStringsArray, readonly string[]>();

/** The source's indentation has no place in a document with thousands of rows. */
function withoutIndent(parts: TemplateStringsArray): readonly string[] {
  const known = unindented.get(parts);
  if (known !== undefined) return known;
  const made = parts.map((part) => part.replace(/\n\s+/g, '\n'));
  unindented.set(parts, made);
  return made;
}

function markupOf(piece: Piece): string {
  if (piece === undefined) return '';
  if (typeof piece === 'string') return shown(piece);
  if (typeof piece === 'number') return escape(piece.toLocaleString('en-US'));
  return piece instanceof Html ? piece.markup : piece.map(markupOf).join('');
}

/** Everything that is invisible or changes the direction of what follows. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** Characters of one text that are shown. */
const MAX_TEXT = 2000;

function shown(text: string): string {
  const cut = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  let out = '';
  let at = 0;
  for (const { 0: character, index } of cut.matchAll(INVISIBLE)) {
    out += `${escape(cut.slice(at, index))}<span class="control">${named(character)}</span>`;
    at = index + character.length;
  }
  out += escape(cut.slice(at));
  return cut === text
    ? out
    : `${out}<span class="cut"> … ${(text.length - cut.length).toLocaleString('en-US')} more characters</span>`;
}

function named(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 256) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** A text for an attribute or a `<title>`: markup has no place there. */
export function plainText(text: string): Html {
  return new Html(escape(text.slice(0, MAX_TEXT).replace(INVISIBLE, named)));
}

/** Text written by people: its line feeds are kept. */
export function paragraphs(text: string): Html {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  return new Html(lines.map((line) => shown(line.replaceAll('\t', '    '))).join('<br>\n'));
}

/** A text truncated to `most` characters, with the number omitted. */
export function brief(text: string, most: number): Html {
  if (text.length <= most) return markup`${text}`;
  const left = text.length - most;
  return markup`${text.slice(0, most)}<span class="cut"> … ${left} more characters</span>`;
}

interface Column {
  readonly name: string;
  /** Right-aligned. */
  readonly number?: boolean;
  /** Whether it is in a monospaced font: hashes, queries, records. */
  readonly code?: boolean;
  /** Whether its cells are single words, which are not broken. */
  readonly word?: boolean;
}

/** More about a row, in a separate cell below it, from a column on. */
interface Below {
  readonly from: number;
  readonly body: Piece;
}

/** A table with a caption for people who do not see it. */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Piece[])[],
  foot?: readonly Piece[],
  below?: readonly Below[],
): Html {
  const kind = ({ number, code, word }: Column): Html =>
    number === true
      ? markup` class="number"`
      : code === true
        ? markup` class="code"`
        : word === true
          ? markup` class="whole"`
          : markup``;
  const head = ({ name, number }: Column): Html =>
    markup`<th scope="col"${number === true ? markup` class="number"` : undefined}>${breakable(name)}</th>`;
  const line = (cells: readonly Piece[]): Html =>
    markup`<tr>
      ${columns.map((column, i) => markup`<td${kind(column)}>${cells[i]}</td>`)}
    </tr> `;
  const under = (more: Below | undefined): Html | undefined =>
    more === undefined
      ? undefined
      : markup`<tr class="below"><td colspan="${more.from}"></td><td colspan="${columns.length - more.from}">${more.body}</td></tr> `;
  const body =
    below === undefined
      ? markup`<tbody>
          ${rows.map(line)}
        </tbody>`
      : markup`${rows.map((row, i) => markup`<tbody>${line(row)}${under(below[i])}</tbody>`)}`;
  return markup`<div class="scroll">
    <table${columns.length > 8 ? markup` class="wide"` : undefined}>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(head)}
        </tr>
      </thead>
      ${body}
      ${
        foot === undefined
          ? undefined
          : markup`<tfoot>
              ${line(foot)}
            </tfoot>`
      }
    </table>
  </div>`;
}

/** A name that may be broken after its underscores. */
function breakable(name: string): Html {
  const parts = name.split(/(?<=[_.])/).map((part, i) => [i > 0 ? markup`<wbr>` : undefined, part]);
  return markup`${parts}`;
}

/** Names with their values, one per line; those without a value are omitted. */
export function list(entries: readonly (readonly [string, Piece])[]): Html {
  const there = entries.filter(([, value]) => value !== undefined && value !== '');
  if (there.length === 0) return markup``;
  return markup`<dl>
    ${there.map(
      ([name, value]) =>
        markup`<dt>${name}</dt>
          <dd>${value}</dd> `,
    )}
  </dl>`;
}

/** A note on omitted content, in its place. */
export function leftOut(text: Piece): Html {
  return markup`<p class="left-out">${text}</p>`;
}
