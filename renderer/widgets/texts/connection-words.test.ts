import { describe, expect, it } from 'vitest';
import { connectionWords } from './connection-words.ts';

describe('connectionWords', () => {
  it.each([
    ['conn_state', 'SF', 'tcp', 'established and closed in the normal way'],
    ['conn_state', 'SF', 'udp', 'both sides sent'],
    ['conn_state', 'S0', 'TCP', 'the client asked for a connection, the server did not answer'],
    ['conn_state', 'REJ', 'udp', undefined],
    ['conn_state', 'CON', 'tcp', undefined],
    ['conn_state', 'toString', 'tcp', undefined],
    [
      'history',
      'ShADadFf',
      'tcp',
      'client SYN → server SYN-ACK → client ACK, data → server ACK, data → client FIN → server FIN',
    ],
    ['history', 'Dd', 'udp', 'client data → server data'],
    [
      'history',
      '^hR',
      'tcp',
      'server SYN-ACK → client RST; sides swapped: the first packet seen was a reply',
    ],
    ['history', '', 'tcp', undefined],
    ['history', 'exit -1', 'tcp', undefined],
    ['service', 'SF', 'tcp', undefined],
  ])('%s %s of %s', (field, value, proto, words) => {
    expect(connectionWords(field, value, proto)).toBe(words);
  });
});
