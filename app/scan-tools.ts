/**
 * The importers for a scan. An uncompressed capture needs only the importer of captures; the others, and those for
 * archives, are loaded on demand.
 */
import type { Importer } from '../engine/evidence/importer.ts';
import type { ScanTools } from '../engine/operations/scan/scan.ts';
import { pcapImporter } from '../importers/pcap/index.ts';
import { plainFile } from '../importers/shared/files/plain-file.ts';

export const scanTools: ScanTools = {
  captures: pcapImporter,
  async importers(): Promise<readonly Importer[]> {
    const registry = await import('../importers/registry.ts');
    return registry.importers;
  },
  async *walk(path, name, temporary, limits) {
    const file = await plainFile(path, name);
    if (file !== undefined && isCapture(file.head, name)) {
      yield file.evidence;
      return;
    }
    const { walkFile } = await import('../importers/shared/archives/walk.ts');
    yield* walkFile(path, name, await temporary(), limits);
  },
};

function isCapture(head: Uint8Array, name: string): boolean {
  return pcapImporter.sniff(head, { name, complete: false })?.score === 1;
}
