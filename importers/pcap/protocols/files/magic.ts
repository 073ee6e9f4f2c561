/** Media types by first bytes, as libmagic and Zeek name them. */
import { textOf } from '../messages.ts';

/** Number of first bytes that are examined: the longest signature is that of tar. */
export const MAGIC_BYTES = 512;

/** Signatures in Latin-1, at the given position or the beginning; the first that fits is used. */
const SIGNATURES: readonly (readonly [type: string, signature: string, at?: number])[] = [
  ['application/pdf', '%PDF-'],
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF8'],
  ['image/webp', 'WEBP', 8],
  ['audio/x-wav', 'WAVE', 8],
  ['video/x-msvideo', 'AVI ', 8],
  ['image/tiff', 'II*\0'],
  ['image/tiff', 'MM\0*'],
  ['image/x-icon', '\0\0\x01\0'],
  ['application/gzip', '\x1f\x8b'],
  ['application/x-bzip2', 'BZh'],
  ['application/x-xz', '\xfd7zXZ\0'],
  ['application/zstd', '\x28\xb5\x2f\xfd'],
  ['application/x-7z-compressed', '7z\xbc\xaf\x27\x1c'],
  ['application/x-rar', 'Rar!\x1a\x07'],
  ['application/vnd.ms-cab-compressed', 'MSCF\0\0\0\0'],
  ['application/x-tar', 'ustar', 257],
  ['application/x-executable', '\x7fELF'],
  ['application/x-mach-o', '\xcf\xfa\xed\xfe'],
  ['application/x-mach-o', '\xce\xfa\xed\xfe'],
  ['application/x-java-applet', '\xca\xfe\xba\xbe'],
  ['application/x-ole-storage', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['application/x-ms-shortcut', 'L\0\0\0\x01\x14\x02\0'],
  ['application/x-ms-evtx', 'ElfFile\0'],
  ['application/x-ms-registry', 'regf'],
  ['application/x-ms-minidump', 'MDMP'],
  ['application/x-shockwave-flash', 'FWS'],
  ['application/x-shockwave-flash', 'CWS'],
  ['application/x-shockwave-flash', 'ZWS'],
  ['video/x-flv', 'FLV\x01'],
  ['video/mp4', 'ftyp', 4],
  ['audio/mpeg', 'ID3'],
  ['application/ogg', 'OggS\0'],
  ['font/woff', 'wOFF'],
  ['font/woff2', 'wOF2'],
  ['application/wasm', '\0asm'],
  ['application/vnd.sqlite3', 'SQLite format 3\0'],
  ['application/vnd.tcpdump.pcap', '\xd4\xc3\xb2\xa1'],
  ['application/vnd.tcpdump.pcap', '\x0a\x0d\x0d\x0a'],
  ['application/postscript', '%!PS'],
  ['text/rtf', '{\\rtf'],
  ['application/x-dosexec', 'MZ'],
  ['image/bmp', 'BM'],
];
/** Packages in zip, by the names of their first members. */
const PACKAGES: readonly (readonly [type: string, name: RegExp])[] = [
  ['application/java-archive', /META-INF\//],
  ['application/vnd.android.package-archive', /AndroidManifest\.xml/],
  ['application/vnd.openxmlformats-officedocument', /\[Content_Types\]\.xml|_rels\/\.rels/],
  ['application/vnd.oasis.opendocument', /mimetypeapplication\/vnd\.oasis/],
];
const TEXTS: readonly (readonly [type: string, begin: RegExp])[] = [
  ['text/html', /^\s*<(?:!doctype\s+html|html|head|body|script|title)\b/i],
  ['text/xml', /^\s*<\?xml\b/i],
  ['image/svg+xml', /^\s*<svg\b/i],
  ['text/x-php', /^\s*<\?(?:php|=)/i],
  ['text/x-shellscript', /^#!/],
  ['application/x-pem-file', /^-----BEGIN /],
  ['application/json', /^\s*(?:\{\s*(?:"|\}|$)|\[\s*(?:[[{"\d\]-]|$|true|false|null))/],
];

/** Undefined if it is unknown. `bytes` are the first ones, up to MAGIC_BYTES. */
export function mediaType(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  if (text.startsWith('PK\x03\x04'))
    return PACKAGES.find(([, name]) => name.test(text))?.[0] ?? 'application/zip';
  const found = SIGNATURES.find(([, signature, at = 0]) => text.startsWith(signature, at));
  if (found !== undefined) return found[0];
  // Characters that no text has.
  if (/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text)) return undefined;
  const read = textOf(bytes, 0, bytes.length).replace(/^\ufeff/, '');
  return TEXTS.find(([, begin]) => begin.test(read))?.[0] ?? 'text/plain';
}
