/** Functions that decode texts. The result is missing if the text is not encoded so, or its bytes are not UTF-8. */
import {
  decodedText as decodedThere,
  urlDecodedText as urlDecodedThere,
} from '../../dialect/clickhouse-texts.ts';
import { decodedText, urlDecodedText } from '../../dialect/function-sql.ts';
import { type FunctionOperator, scalar } from '../operator.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes).replaceAll('\0', '');
  } catch (error) {
    // A decoder throws this for bytes that are not UTF-8.
    if (error instanceof TypeError) return null;
    throw error;
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const HEX = /^(?:[0-9A-Fa-f]{2})*$/;

export const DECODE_FUNCTIONS: Readonly<Record<string, FunctionOperator>> = {
  base64: scalar({
    form: 'base64(text)',
    gives: 'the decoded text; zero bytes are left out, so UTF-16 of PowerShell is readable',
    ...{ takes: ['text'], type: 'text' },
    sql: ([text]) => decodedText(text!, BASE64, 'from_base64'),
    clickhouse: ([text]) => decodedThere(text!, BASE64, 'base64Decode'),
    of: ([text]) =>
      BASE64.test(String(text)) ? decoded(Buffer.from(String(text), 'base64')) : null,
  }),
  hexdecode: scalar({
    ...{
      form: 'hexdecode(text)',
      gives: 'the text of bytes in hexadecimal',
      takes: ['text'],
      type: 'text',
    },
    sql: ([text]) => decodedText(text!, HEX, 'unhex'),
    clickhouse: ([text]) => decodedThere(text!, HEX, 'unhex'),
    of: ([text]) => (HEX.test(String(text)) ? decoded(Buffer.from(String(text), 'hex')) : null),
  }),
  urldecode: scalar({
    ...{
      form: 'urldecode(text)',
      gives: 'the text with %20 and the like decoded',
      takes: ['text'],
      type: 'text',
    },
    sql: ([text]) => urlDecodedText(text!),
    clickhouse: ([text]) => urlDecodedThere(text!),
    of: ([text]) => urlDecoded(String(text)),
  }),
};

function urlDecoded(text: string): string | null {
  if (!text.includes('%')) return text;
  const bytes = Buffer.from(text);
  const out: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const hex = bytes[at] === 0x25 ? bytes.toString('latin1', at + 1, at + 3) : '';
    if (/^[0-9A-Fa-f]{2}$/.test(hex)) {
      out.push(Number.parseInt(hex, 16));
      at += 2;
    } else out.push(bytes[at]!);
  }
  try {
    return utf8.decode(Uint8Array.from(out));
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
