/** Protocols as Azure's Traffic Analytics writes them, by their numbers. */
const PROTOCOLS: ReadonlyMap<string, number> = new Map(Object.entries({ T: 6, U: 17 }));

/** The number of the protocol that a letter stands for; undefined: for none. */
export function protocolOfLetter(letter: string): number | undefined {
  return PROTOCOLS.get(letter);
}
