/** The texts of shapes: read page by page, and cut into tokens for phrases. */
import { tokensIn } from '../../../util/tokens.ts';
import type { SideFile } from '../../side-file.ts';
import { ByteReader, checked } from '../format/bytes.ts';
import { damagedText } from '../format/damaged.ts';
import { foldText } from '../../../util/fold.ts';
import type { Head, LiteralPlace } from '../format/head.ts';
import { LITERALS, LITERAL_PAGE_BYTES } from '../format/layout.ts';
import { unpacked } from '../format/packed.ts';
import type { OwnedCache } from '../text-cache.ts';

/** A shape's text as tokens, undefined for open ones, and the text between them. */
export interface ParsedShape {
  /** Folded. */
  readonly tokens: readonly (string | undefined)[];
  readonly between: readonly string[];
}

/** A page is at most as large as the limit that ends it plus one more shape. */
const MOST_RAW = LITERAL_PAGE_BYTES + (1 << 18);

export class ShapeTexts {
  private readonly file: SideFile;
  private readonly head: Head;
  private readonly cache: OwnedCache;

  constructor(file: SideFile, head: Head, cache: OwnedCache) {
    this.file = file;
    this.head = head;
    this.cache = cache;
  }

  /** The texts around a shape's open tokens. */
  runs(shape: number): readonly string[] {
    const place = this.head.literals.findLast(({ first }) => first <= shape);
    if (place === undefined) throw damagedText();
    const { raw, starts } = this.page(place);
    const reader = new ByteReader(raw.subarray(starts[shape - place.first]));
    return Array.from({ length: reader.number() }, () => Buffer.from(reader.string()).toString());
  }

  parsed(shape: number): ParsedShape {
    return this.cache.take(
      `parsed ${shape}`,
      () => parse(this.runs(shape)),
      ({ tokens }) => tokens.length * 60,
    );
  }

  hasToken(shape: number): boolean {
    return this.parsed(shape).tokens.length > 0;
  }

  private page(place: LiteralPlace): LiteralPage {
    return this.cache.take(
      `literals ${place.first}`,
      () => {
        const { at, bytes, raw: rawLength, first, end } = place;
        const content = checked(this.file.read(LITERALS, at, at + bytes), bytes);
        if (rawLength > MOST_RAW || end < first) throw damagedText();
        const raw = unpacked(content, rawLength);
        const reader = new ByteReader(raw);
        const starts = Uint32Array.from({ length: end - first }, () => {
          const start = reader.at;
          for (let left = reader.number(); left > 0; left--) reader.string();
          return start;
        });
        return { raw, starts };
      },
      ({ raw, starts }) => raw.length + starts.byteLength,
    );
  }
}

interface LiteralPage {
  readonly raw: Uint8Array;
  /** Start of each shape's runs in `raw`. */
  readonly starts: Uint32Array;
}

function parse(runs: readonly string[]): ParsedShape {
  const tokens: (string | undefined)[] = [];
  const between: string[] = [];
  let rest = '';
  runs.forEach((run, i) => {
    if (i > 0) {
      if (tokens.length > 0) between.push(rest);
      tokens.push(undefined);
      rest = '';
    }
    let end = 0;
    for (const found of tokensIn(run)) {
      rest += run.slice(end, found.index);
      if (tokens.length > 0) between.push(rest);
      tokens.push(foldText(found[0]));
      rest = '';
      end = found.index + found[0].length;
    }
    rest += run.slice(end);
  });
  return { tokens, between };
}
