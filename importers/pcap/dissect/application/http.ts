/** The head of an HTTP/1 message (RFC 9112): start line and header fields, a field each. */
import { readRequestLine } from '../../protocols/http/http.ts';
import type { Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { visible } from '../text.ts';

/** Header fields shown; the summary needs but the first line. */
const MAX_LINES = 200;
const MAX_START = 200;

export function http(r: LayerReader): Protocol | undefined {
  r.layer.name = r.d.stream ? 'Hypertext Transfer Protocol' : 'Simple Service Discovery Protocol';
  let lines = 0;
  for (; lines < MAX_LINES; lines++) {
    const end = r.bytes.indexOf(10, r.at);
    if (end < 0 || end >= r.end) {
      if (r.left > 0) {
        const rest = r.text(lines === 0 ? 'Start line' : 'Header field', r.left);
        if (lines === 0) r.layer.summary = rest.slice(0, MAX_START);
      }
      r.d.note(`${r.layer.name}: its head ${r.d.cutReason(r.end)}`);
      return undefined;
    }
    const size = end + 1 - r.at;
    const text = visible(r.bytes.subarray(r.at, trimmed(r.bytes, r.at, end)));
    if (text === '') {
      r.raw('End of head', size, visible);
      return r.left > 0 ? 'data' : undefined;
    }
    if (lines === 0) {
      r.layer.summary = text.slice(0, MAX_START);
      startLine(r, text, size);
    } else {
      const colon = text.indexOf(':');
      const name = colon > 0 ? text.slice(0, colon) : 'Header field';
      r.add(name, colon > 0 ? text.slice(colon + 1).trim() : text, r.at, size);
      r.at += size;
    }
  }
  r.d.note(`${r.layer.name}: more header fields than the ${MAX_LINES} that are shown`);
  return 'data';
}

/** The end of a line without its CR. */
function trimmed(bytes: Uint8Array, start: number, end: number): number {
  return end > start && bytes[end - 1] === 13 ? end - 1 : end;
}

const STATUS = /^(\S+) +(\S+)(?: (.*))?$/ds;

/** The positions of a start line's parts. */
function partsOf(line: string): readonly (readonly [from: number, to: number] | undefined)[] {
  if (line.startsWith('HTTP/')) return STATUS.exec(line)?.indices?.slice(1) ?? [];
  const read = readRequestLine(line);
  if (read === undefined) return [];
  const target = read.method.length + 1;
  return [
    [0, read.method.length],
    [target, target + read.target.length],
    read.version === undefined ? undefined : [line.lastIndexOf(' ') + 1, line.length],
  ];
}

function startLine(r: LayerReader, text: string, size: number): void {
  const at = r.at;
  const response = text.startsWith('HTTP/');
  r.group(response ? 'Status Line' : 'Request Line', () => {
    const names = response
      ? ['Response Version', 'Status Code', 'Response Phrase']
      : ['Request Method', 'Request URI', 'Request Version'];
    const line = r.bytes.subarray(at, trimmed(r.bytes, at, at + size - 1));
    const parts = partsOf(Buffer.from(line).toString('latin1'));
    names.forEach((name, i) => {
      const [from, to] = parts[i] ?? [0, 0];
      if (to > from) r.add(name, visible(line.subarray(from, to)), at + from, to - from);
    });
    r.at += size;
    return text;
  });
}
