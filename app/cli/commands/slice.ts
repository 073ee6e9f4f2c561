/** `daybook slice`: writes the packets of a query to a separate capture. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { slicePackets } from '../../../engine/operations/output/packet-slice.ts';
import { TIME_OPTIONS, type Command } from '../command.ts';
import { size, visible, write } from '../output.ts';
import { PASSWORD_OPTION, takePasswords } from '../options/password-option.ts';
import { withCase } from '../with-case.ts';
import { givenRange } from '../options/time-range.ts';

export const sliceCommand: Command = {
  spec: {
    name: 'slice',
    usage: "CASE 'QUERY' --out FILE",
    summary:
      'Writes the packets that a query finds, and those of the flows and protocol events that it finds, to a pcapng file.',
    positionals: { least: 2, most: 2 },
    options: {
      ...TIME_OPTIONS,
      out: { type: 'string', value: 'FILE', help: 'the file to write; - is standard output' },
      force: { type: 'boolean', help: 'replace a file that exists' },
      ...PASSWORD_OPTION,
      json: { type: 'boolean', help: 'one JSON document: packets, bytes, SHA-256' },
    },
    details: `Examples:
  daybook slice CASE 'kind:flow dst_ip:203.0.113.9' --out c2.pcapng
  daybook slice CASE 'kind:dns query:*.example.com' --out - | tshark -r -
Packets are read from the evidence again and keep their original times.`,
  },
  async run(parsed, { streams, settings, signal }) {
    const [path, query] = parsed.positionals as [string, string];
    const out = parsed.text('out');
    if (out === undefined)
      throw new DaybookError('usage', 'no file to write to was given', 'name one with --out FILE');
    await takePasswords(parsed);
    const { evidence } = await import('../../compose.ts');
    return withCase(path, settings, async (session) => {
      const written = await slicePackets(
        session,
        evidence,
        { query, ...givenRange(parsed) },
        {
          path: out === '-' ? undefined : out,
          overwrite: parsed.flag('force'),
          send: (bytes) => write(streams.out, bytes),
          signal,
        },
        async () => undefined,
      );
      const said = parsed.flag('json')
        ? `${JSON.stringify(written)}\n`
        : `${visible(out)}: ${counted(written.packets, 'packet')}, ${size(written.bytes)}, SHA-256 ${written.sha256}\n`;
      if (out === '-') streams.err.write(said);
      else await write(streams.out, said);
      return 0;
    });
  },
};
