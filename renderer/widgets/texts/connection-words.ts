/**
 * Zeek's words for connections in plain ones: `conn_state` and the letters of `history`, as
 * https://docs.zeek.org/en/master/scripts/base/protocols/conn/main.zeek.html#type-Conn::Info defines them.
 */

/** A map: names of objects' own properties are not states, and an older Chromium has no `Object.hasOwn`. */
function words(of: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(of));
}

const TCP_STATES = words({
  S0: 'the client asked for a connection, the server did not answer',
  S1: 'established, and not seen to end',
  SF: 'established and closed in the normal way',
  REJ: 'the server rejected the connection',
  S2: 'established; the client closed its side, the server was not seen to',
  S3: 'established; the server closed its side, the client was not seen to',
  RSTO: 'established; the client aborted it (RST)',
  RSTR: 'the server aborted it (RST)',
  RSTOS0: 'the client sent SYN and then RST; no SYN-ACK of the server was seen',
  RSTRH: 'the server sent SYN-ACK and then RST; no SYN of the client was seen',
  SH: 'the client sent SYN and then FIN; no SYN-ACK of the server was seen (half open)',
  SHR: 'the server sent SYN-ACK and then FIN; no SYN of the client was seen',
  OTH: 'no SYN was seen: the connection was under way already',
});

/** Without a handshake, it is only known which sides sent. */
const OTHER_STATES = words({
  S0: 'only the client sent',
  SF: 'both sides sent',
  SHR: 'only the server sent',
});

const LETTERS = words({
  s: 'SYN',
  h: 'SYN-ACK',
  a: 'ACK',
  d: 'data',
  f: 'FIN',
  r: 'RST',
  c: 'bad checksum',
  g: 'gap',
  t: 'retransmission',
  w: 'zero window',
  i: 'inconsistent flags (FIN and RST)',
  q: 'inconsistent flags (SYN with FIN or RST)',
});

function stateWords(state: string, proto: string): string | undefined {
  return (proto.toLowerCase() === 'tcp' ? TCP_STATES : OTHER_STATES).get(state);
}

/** `client SYN → server SYN-ACK → client ACK, data`; undefined if a letter is not one of Zeek's. */
function historyWords(history: string): string | undefined {
  const steps: { side: string; did: string[] }[] = [];
  const notes: string[] = [];
  for (const letter of history) {
    const small = letter.toLowerCase();
    if (letter === '^') notes.push('sides swapped: the first packet seen was a reply');
    else if (small === 'x') notes.push('not analysed to its end');
    else {
      const did = LETTERS.get(small);
      if (did === undefined) return undefined;
      // Upper case is the originator's.
      const side = letter === small ? 'server' : 'client';
      const last = steps[steps.length - 1];
      if (last?.side === side) last.did.push(did);
      else steps.push({ side, did: [did] });
    }
  }
  const course = steps.map(({ side, did }) => `${side} ${did.join(', ')}`).join(' → ');
  return [course, ...notes].filter((part) => part !== '').join('; ') || undefined;
}

/**
 * The meaning of a value of a connection's field.
 * @param proto of the event, by name: states of UDP and ICMP mean something else than those of TCP
 */
export function connectionWords(field: string, value: string, proto: string): string | undefined {
  if (field === 'conn_state') return stateWords(value, proto);
  return field === 'history' ? historyWords(value) : undefined;
}
