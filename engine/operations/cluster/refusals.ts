/**
 * Operations that the case on a cluster does not support, each with the reason in a sentence for people: windows
 * show it in advance, and calls fail with it.
 */
import { DaybookError } from '../../contract/errors.ts';
import type { OperationName } from '../../contract/operations.ts';

const AGAIN = 'hand the case over and attach it again to update the cluster';
const EVIDENCE = `Evidence is imported into the case on its own computer; ${AGAIN}.`;
const IMPORTS =
  'Imports are listed in the case on its own computer; a cluster has only their events.';
const LEFT_OUT =
  'Files that were not read, and lines that sources have in common, are listed in the case on its own computer.';
const BYTES =
  'The evidence stays with the case: a cluster has no bytes of it. Look at them on the computer that has it.';
const DECISIONS = `That is decided in the case on its own computer; ${AGAIN}.`;
const LOOKED_AFTER = 'A cluster holds a copy: that is done with the case on its own computer.';

export const REFUSED: Readonly<Partial<Record<OperationName, string>>> = {
  ...{ 'case.create': EVIDENCE, 'evidence.preview': EVIDENCE, 'evidence.receive': EVIDENCE },
  ...{
    'evidence.unlock': EVIDENCE,
    'import.start': EVIDENCE,
    'import.resume': EVIDENCE,
    'import.list': IMPORTS,
  },
  'source.locate': BYTES,
  ...{ 'event.raw': BYTES, 'event.packet': BYTES, 'event.stream': BYTES, 'event.file': BYTES },
  ...{ 'payload.search': BYTES, 'packets.slice': BYTES, 'quarantine.list': BYTES },
  'overlap.list': LEFT_OUT,
  ...{ 'source.retime': DECISIONS, 'overlap.set': DECISIONS, 'delete.run': DECISIONS },
  ...{ 'case.refield': DECISIONS, 'case.describe': DECISIONS, 'extractor.message': DECISIONS },
  ...{ 'extractor.try': DECISIONS, 'extractor.save': DECISIONS },
  ...{ 'case.verify': LOOKED_AFTER, 'case.compact': LOOKED_AFTER, 'case.audit': LOOKED_AFTER },
  ...{ 'report.write': LOOKED_AFTER, 'hand-over.run': LOOKED_AFTER },
};

/** The reason why an operation is not supported on a cluster. */
export function refusal(operation: OperationName): DaybookError {
  return new DaybookError(
    'usage',
    REFUSED[operation] ?? `${operation} does not work on a cluster`,
    'do it on the computer that has the case',
  );
}
