/**
 * Detects extractors of Daybook that changed without a higher version: events record the version by which they were
 * cut, and `daybook refield` extracts again what another one cut. extractor-digests.json has a digest for each name
 * and version; `npm run extractor-digests` writes it.
 */
import { createHash } from 'node:crypto';

/** The relevant parts of an extractor's file. */
interface Document {
  readonly version: number;
  readonly templates: readonly { readonly samples?: unknown }[];
}

/** Digests by name and version: `{"openssh/2": "…"}`. */
export type Digests = Readonly<Record<string, string>>;

/** Covers everything that decides what it cuts: not its version, its samples, and its texts for people. */
function digestOf(document: unknown): string {
  const { templates, ...rest } = document as Document;
  const described = new Set(['version', 'for', 'leavesOut', 'samples', 'uncut']);
  const cut = Object.entries(rest).filter(([name]) => !described.has(name));
  const texts = templates.map(({ samples: _, ...template }) => template);
  return createHash('sha256')
    .update(JSON.stringify([cut, texts]))
    .digest('hex')
    .slice(0, 16);
}

/** The digests of these extractors, by name and version. */
export function digestsOf(documents: Readonly<Record<string, unknown>>): Digests {
  return Object.fromEntries(
    Object.entries(documents).map(([name, document]) => [
      `${name}/${(document as Document).version}`,
      digestOf(document),
    ]),
  );
}

/** The advice if an extractor cuts differently from the recorded digest of its version; undefined: none. */
export function unraised(name: string, document: unknown, recorded: Digests): string | undefined {
  const { version } = document as Document;
  const last = lastVersion(name, recorded);
  const known = recorded[`${name}/${version}`];
  if (version > last || known === digestOf(document)) return undefined;
  return `${name} cuts otherwise than version ${last} did: raise "version" in engine/fields/extractors/${name}.json to ${last + 1}, then run npm run extractor-digests`;
}

function lastVersion(name: string, recorded: Digests): number {
  const versions = Object.keys(recorded)
    .filter((mark) => mark.startsWith(`${name}/`))
    .map((mark) => Number(mark.slice(name.length + 1)));
  return Math.max(0, ...versions);
}
