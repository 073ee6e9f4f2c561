/** Examples of the query language, each with a description; each can be run. docs/query-language.md */

interface Example {
  readonly query: string;
  readonly says: string;
}

export const EXAMPLES: readonly {
  readonly title: string;
  readonly examples: readonly Example[];
}[] = [
  {
    title: 'Words',
    examples: [
      { query: 'failed password', says: 'both words, anywhere in an event' },
      { query: '"failed password"', says: 'one after the other' },
      { query: 'failed OR accepted', says: 'either of them' },
      { query: 'failed -root', says: 'the first, not the second; also NOT root' },
      { query: 'sudo* *session', says: 'any ending, any beginning; ? is one character' },
      { query: '10.0.0.0/8', says: 'an address or a block, in text and columns' },
    ],
  },
  {
    title: 'Fields',
    examples: [
      { query: 'program:sshd', says: 'the whole value; case is ignored' },
      { query: 'host:web*', says: 'a value of that shape' },
      { query: 'src_ip:10.0.0.0/8', says: 'addresses within a block; ip: is either end' },
      { query: 'dst_port:(22 OR 3389)', says: 'one of several values' },
      { query: 'bytes:>1e6', says: 'compared: > >= < <=' },
      { query: 'dst_port:[1 TO 1023]', says: 'from, to, both included' },
      { query: 'severity:<=err', says: 'err or more severe' },
      { query: 'message:/[Ff]ailed .* root/', says: 'a regular expression (RE2)' },
      { query: 'src_ip:* NOT host:*', says: 'a field is present, or absent' },
    ],
  },
  {
    title: 'Kind and time',
    examples: [
      { query: 'kind:flow', says: 'kinds: flow packet log dns http tls ssh smb file alert …' },
      { query: 'kind:packet', says: 'packets hidden under flows, too' },
      { query: 'last:24h', says: 'before the newest event; ms s m h d w' },
      { query: 'ts:>=2026-01', says: 'a time may end at year, month, day or minute' },
      { query: 'flow:*:*-*:443/tcp', says: 'a five-tuple in either direction' },
      { query: 'source:*.log', says: 'events of a file' },
    ],
  },
  {
    title: 'Then count',
    examples: [
      { query: '* | count', says: 'how many there are' },
      { query: '* | top 10 src_ip by sum(bytes)', says: 'the largest groups, with the rest' },
      { query: '* | timeline 1h by kind', says: 'events over time' },
      { query: 'kind:flow | talkers 20', says: 'who talked to whom' },
      { query: '* | values program', says: 'the values of a field' },
      {
        query: 'kind:log | patterns 50',
        says: 'messages by shape, rarest first; desc reverses it',
      },
      {
        query: 'kind:flow | stats count() as n, sum(bytes) as b by src_ip | sort b desc | head 20',
        says: 'a table: measures, groups, order',
      },
      {
        query: 'kind:flow | stats distinct(dst_ip) as n by src_ip | where n > 20',
        says: 'filter a table again',
      },
      {
        query:
          'kind:flow | eval gap = delta(ts) by src_ip, dst_ip | stats avg(gap), stddev(gap) by src_ip, dst_ip',
        says: 'how evenly pairs talk: beacons',
      },
      {
        query: '* | sequence by user within 5m: failed x10 then accepted',
        says: 'events that follow each other',
      },
      { query: 'kind:flow | session by src_ip gap 30m', says: 'runs of events, with their length' },
      {
        query: '* | lookup hosts.csv on src_ip | top owner',
        says: 'columns of a file, on the command line',
      },
      { query: 'kind:dns | unnest answers | top answers', says: 'a row for each member of a list' },
      { query: '* | dedup src_ip | fields ts, src_ip, message', says: 'one event per value' },
    ],
  },
];
