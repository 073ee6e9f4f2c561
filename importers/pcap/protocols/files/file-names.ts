/** Names of files in headers of mails (RFC 2183, RFC 2231) and of HTTP (RFC 6266, RFC 8187). */

/** A name in numbered pieces (RFC 2231, 3). */
const IN_PIECES = /\b(?:file)?name\*\d/i;

/** A file's name in a line of a header, as sent; undefined if the line has only a piece of one. */
export function fileNameInLine(line: string): string | undefined {
  return IN_PIECES.test(line) ? undefined : fileNameIn(line);
}

/** Name of a file in a header of a mail, as it was sent. */
export function fileNameIn(header: string): string | undefined {
  return statedFileName(header) ?? valueIn(header, /\bname=(?:"([^"]+)"|([^";\s]+))/i);
}

/** The `filename` of a header, as sent. */
export function statedFileName(header: string): string | undefined {
  const extended = /\bfilename\*=(?:utf-8|iso-8859-1)?'[^']*'([^\s;]+)/i.exec(header)?.[1];
  if (extended !== undefined) return unescaped(extended) ?? extended;
  return joinedName(header) ?? valueIn(header, /\bfilename=(?:"([^"]+)"|([^";]+))/i);
}

function valueIn(header: string, parameter: RegExp): string | undefined {
  return parameter.exec(header)?.slice(1).find(Boolean)?.trimEnd();
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

interface Piece {
  readonly text: string;
  readonly isEscaped: boolean;
}

/** The name whose pieces a header has: `filename*0="a b"; filename*1*=%20c.zip`. */
function joinedName(header: string): string | undefined {
  if (!IN_PIECES.test(header)) return undefined;
  const pieces = new Map<number, Piece>();
  for (const [, number, star, quoted, plain = ''] of header.matchAll(
    /\b(?:file)?name\*(\d{1,3})(\*?)=(?:"([^"]*)"|([^";\s]*))/gi,
  ))
    if (!pieces.has(Number(number)))
      pieces.set(Number(number), { text: quoted ?? plain, isEscaped: star === '*' });
  const inOrder: Piece[] = [];
  for (let at = 0; pieces.has(at); at++) inOrder.push(pieces.get(at)!);
  // The first escaped piece is preceded by a character set and a language.
  const texts = inOrder.map(({ text, isEscaped }, at) =>
    at === 0 && isEscaped ? text.replace(/^[^']*'[^']*'/, '') : text,
  );
  const escaped = texts.map((text, at) =>
    inOrder[at]!.isEscaped ? text : encodeURIComponent(text.toWellFormed()),
  );
  const name = unescaped(escaped.join('')) ?? texts.join('');
  return name === '' ? undefined : name;
}
