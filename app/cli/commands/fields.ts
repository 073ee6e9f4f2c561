/** `daybook fields`: which fields events have. */
import { DaybookError } from '../../../engine/contract/errors.ts';
import { isClusterAddress } from '../../../engine/contract/cluster-address.ts';
import { type FieldSummary, caseFields } from '../../../engine/operations/case/fields/fields.ts';
import { fieldNames } from '../../../engine/operations/field-names.ts';
import type { Command } from '../command.ts';
import { EXTRACTOR_OPTIONS, aboutExtractors } from './extractors.ts';
import { table, write } from '../output.ts';
import { withAttached } from '../on-cluster.ts';
import { withCase } from '../with-case.ts';

export const fieldsCommand: Command = {
  spec: {
    name: 'fields',
    usage: '[CASE]',
    summary:
      'Lists the fields that events have, and how many events have each. Attributes keep the name their source gave them.',
    positionals: { least: 0, most: 1 },
    options: {
      schema: {
        type: 'boolean',
        help: 'list every field that Daybook knows instead, with its names in ECS, OCSF, Zeek and others',
      },
      ...EXTRACTOR_OPTIONS,
      json: { type: 'boolean', help: 'one JSON document' },
    },
  },
  async run(parsed, context) {
    const { streams, settings, signal } = context;
    const [folder] = parsed.positionals;
    const status = await aboutExtractors(parsed, context);
    if (status !== undefined) return status;
    if (parsed.flag('schema')) {
      const known = fieldNames();
      const rows = known.map((one) => [one.field, one.type, one.meaning, one.names.join(', ')]);
      await write(
        streams.out,
        parsed.flag('json')
          ? `${JSON.stringify(known)}\n`
          : table(['field', 'type', 'meaning', 'other names'], rows, streams.out.columns),
      );
      return 0;
    }
    if (folder === undefined)
      throw new DaybookError(
        'usage',
        'no case was named',
        'daybook fields CASE, or daybook fields --schema',
      );
    const print = async (fields: readonly FieldSummary[]): Promise<number> => {
      if (parsed.flag('json')) {
        await write(streams.out, `${JSON.stringify(fields)}\n`);
      } else if (fields.length === 0) {
        streams.err.write('the case holds no events yet: daybook import CASE PATH…\n');
      } else {
        const rows = fields.map((one) => [
          one.field,
          one.attribute ? 'attribute' : 'field',
          one.events,
          one.kinds.join(', '),
        ]);
        await write(
          streams.out,
          table(['field', 'what', 'events', 'kinds'], rows, streams.out.columns),
        );
      }
      return 0;
    };
    if (isClusterAddress(folder))
      return withAttached(folder, signal, async (cluster) => {
        const { clusterFields } =
          await import('../../../engine/operations/cluster/cluster-case.ts');
        return print(await clusterFields(cluster));
      });
    return withCase(folder, settings, async (session) => print(await caseFields(session, signal)));
  },
};
