import { expect, it } from 'vitest';
import { cutFields } from './cut-fields.ts';
import { cutterWith } from './own-extractors.ts';
import { bodyOf, proposeTemplate } from './propose.ts';

const DOOR = 'door 4 opened by card 17 of alice at 192.0.2.17';

it.each([
  [DOOR, 'alice', 'user', {}, 'door {:number} opened by card {:number} of {user:word} at {:ip}'],
  [
    ...[DOOR, '17', 'session', { src_ip: '192.0.2.17', user: 'alice' }],
    'door {:number} opened by card {session:word} of {user:word} at {src_ip}',
  ],
  ['user "a b" {x|y}', 'a b', 'user', {}, 'user "{user:text}" \\{x\\|y\\}'],
  [
    'id=req-17 from gate.example.com',
    'gate.example.com',
    'src_ip',
    {},
    'id={:word} from {src_ip:host}',
  ],
  ['a b c d e f g h i j', 'a', 'user', {}, '{user:word} b c d e f g{:rest}'],
] as const)('proposes for %s', (message, selected, field, known, template) => {
  const start = message.indexOf(selected);
  const selection = { field, start, end: start + selected.length };
  expect(proposeTemplate(message, selection, known)).toBe(template);
  const document = JSON.stringify({
    ...{ extractor: 'own', version: 1, for: 'tests', leavesOut: 'nothing', programs: ['gate'] },
    templates: [{ text: template }],
  });
  const found = cutFields(cutterWith([document]), 'gate', message);
  expect(found[field] ?? found['src_domain']).toBe(selected);
});

it.each([
  ['gate', 'gate[17]: door', 'door'],
  ['gate', 'gatekeeper: door', 'gatekeeper: door'],
  ['kernel', 'kernel: [   12.5] [UFW', '[UFW'],
  ['', ' door', 'door'],
])('finds what %s says in %s', (program, message, body) => {
  expect(bodyOf(program, message)).toBe(body);
});
