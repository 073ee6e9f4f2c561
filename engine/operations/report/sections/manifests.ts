/** Lists of hashes that came with the evidence, and the results of comparing them with the files that were read. */
import { algorithmName } from '../../../contract/words/listed-hash-text.ts';
import { counted } from '../../../contract/words/counted.ts';
import type { ReportFacts } from '../facts.ts';
import { hash } from '../figures.ts';
import { brief, leftOut, markup, table, type Html } from '../html.ts';
import type { Section } from '../section.ts';

const MAX_NAME = 300;
const MAX_DIFFERING = 500;

export function manifestsSection({ manifests }: ReportFacts): Section {
  return {
    id: 'manifests',
    title: 'Hash manifests',
    body:
      manifests.shown.length === 0
        ? markup`<p>No import recorded a hash list.</p>`
        : markup`<p>
              Lists of hashes that came with the evidence, compared with the files at each import:
              listed = agree + differ + not found + not compared. Anyone able to change a file could
              change a list beside it: compare the SHA-256 of the list with the collector's record.
              “Unlisted” counts sources beside the listed files. Results per source are under
              “Sources”.
            </p>
            ${table(
              'Lists of hashes, by import.',
              [
                { name: 'Import', number: true },
                { name: 'List' },
                { name: 'Listed', number: true },
                { name: 'Agree', number: true },
                { name: 'Differ', number: true },
                { name: 'Not found', number: true },
                { name: 'Not compared', number: true },
                { name: 'Unlisted', number: true },
                { name: 'Unreadable lines', number: true },
              ],
              manifests.shown.map(({ importId, report }) => [
                importId,
                markup`<b>${brief(report.manifest, MAX_NAME)}</b> SHA-256 ${hash(report.sha256)}`,
                report.listed,
                report.agree,
                warned(report.differ.count),
                report.missing.count,
                report.notCompared.count,
                report.unlisted.count,
                warned(report.problems.count),
              ]),
            )}
            ${manifests.left > 0 ? leftOut(markup`${counted(manifests.left, 'further list')} left out.`) : undefined}
            ${differing(manifests.shown)}`,
  };
}

function differing(manifests: ReportFacts['manifests']['shown']): Html {
  const all = manifests.flatMap(({ importId, report }) =>
    report.differ.first.map((one) => ({ importId, manifest: report.manifest, ...one })),
  );
  const total = manifests.reduce((sum, { report }) => sum + report.differ.count, 0);
  const shown = all.slice(0, MAX_DIFFERING);
  if (total === 0) return markup`<p>No compared file differs from its hash in these lists.</p>`;
  return markup`${table(
    'Files whose hash differs from the listed one.',
    [
      { name: 'Import', number: true },
      { name: 'File' },
      { name: 'List' },
      { name: 'Algorithm' },
      { name: 'Listed' },
      { name: 'Found' },
    ],
    shown.map(({ importId, file, manifest, line, algorithm, listed, actual }) => [
      importId,
      markup`<b class="warn">${brief(file, MAX_NAME)}</b>`,
      markup`${brief(manifest, MAX_NAME)}, line ${String(line)}`,
      algorithmName(algorithm),
      hash(listed) ?? '',
      hash(actual) ?? '',
    ]),
  )}
  ${total > shown.length ? leftOut(markup`${counted(total - shown.length, 'further file')} left out.`) : undefined}`;
}

function warned(count: number): Html | number {
  return count === 0 ? 0 : markup`<b class="warn">${count}</b>`;
}
