/**
 * Every command in README.md and docs/ works as printed: those of the command line are run, in order, on generated
 * evidence; of the others, it is checked that npm knows them, and that none requires a recent system Node, since
 * the README promises Node 20.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateEvidence } from '../../fixtures/generate.ts';
import { start } from './harness.ts';

const root = path.resolve(import.meta.dirname, '../..');
const scratch = mkdtempSync(path.join(tmpdir(), 'daybook-documents-'));
const bin = path.join(scratch, 'bin');
const evidence = path.join(scratch, '.daybook-tmp/demo/evidence');

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'fixtures/README.md',
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.startsWith('adr/'))
    .sort()
    .map((file) => path.join('docs', file)),
];

/** Lines of code blocks of a page. */
function codeLines(page: string): string[] {
  const text = readFileSync(path.join(root, page), 'utf8');
  const fenced = [...text.matchAll(/^```\w*\n([^]*?)^```/gm)].flatMap(([, code]) =>
    code!.split('\n'),
  );
  const indented = [...text.matchAll(/^ {4}(\S.*)$/gm)].map(([, line]) => line!);
  return [...fenced, ...indented].map((line) => line.trim());
}

/**
 * Daybook commands in a page, without placeholders of synopses, and without the fictional buckets and clusters of
 * pages (see bucket.test.ts, attach.test.ts).
 */
const commands = (page: string): string[] =>
  codeLines(page)
    .filter(
      (line) =>
        /^(?:npx )?daybook \S|^printf /.test(line) &&
        !/\b(?:FILE|QUERY)\b|\b(?:s3|clickhouse):\/\//.test(line),
    )
    .map((line) => line.replaceAll(/\bCASE\b/g, 'acme.daybook'));

beforeAll(() => {
  mkdirSync(bin);
  // As npx finds it in a checkout, without npm's half second for each.
  const entry = path.join(root, 'app/cli/daybook.mjs');
  writeFileSync(
    path.join(bin, 'daybook'),
    `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`,
  );
  writeFileSync(path.join(bin, 'npx'), '#!/bin/sh\nexec "$@"\n');
  for (const name of ['daybook', 'npx']) chmodSync(path.join(bin, name), 0o755);
  generateEvidence(path.dirname(evidence), 0.2);
  const capture = path.join(evidence, 'capture/bastion01.pcap');
  copyFileSync(capture, path.join(scratch, 'trace.pcap'));
  // The generator of the benchmarks, which tests must not import.
  const generator = path.join(root, 'bench/generate/relay.ts');
  const made = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `const { writeFrameRelay, writeAtm } = await import(${JSON.stringify(generator)});
       writeFrameRelay('relay.pcap', 1e6);
       writeAtm('atm.pcap', 1e6);`,
    ],
    { cwd: scratch, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(made.stderr);
  writeFileSync(path.join(scratch, 'trace.pcap.gz'), gzipSync(readFileSync(capture)));
  copyFileSync(path.join(evidence, 'syslog/auth.log'), path.join(scratch, 'auth.log'));
  writeFileSync(path.join(scratch, 'flows.csv'), 'src_ip,dst_port\n10.20.10.25,443\n');
  writeFileSync(path.join(scratch, 'tuples.csv'), 'tcp,10.20.10.25,50000,192.0.2.200,443\n');
  writeFileSync(path.join(scratch, 'hosts.csv'), 'src_ip,owner\n10.20.10.25,finance\n');
  writeFileSync(path.join(scratch, 'networks.csv'), 'network,site\n10.20.0.0/16,berlin\n');
  writeFileSync(
    path.join(scratch, 'export.csv'),
    'Start,Source,Destination,Octets\n2026-10-13T01:00:00Z,10.0.0.1,10.0.0.2,400\n',
  );
  writeFileSync(
    path.join(scratch, 'my-export.json'),
    '{"fields":{"src_ip":"Source","dst_ip":"Destination","ts":"Start"}}',
  );
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('commands of the command line in the documents work as printed', async () => {
  const all = PAGES.flatMap((page) => commands(page).map((line) => ({ page, line })));
  expect(all.length).toBeGreaterThan(15);
  const failed: string[] = [];
  let before = '';
  for (const { page, line } of all) {
    // Each page is for readers who have not read the others, so it starts with an empty folder.
    if (page !== before) rmSync(path.join(scratch, 'unseen.txt'), { force: true });
    before = page;
    if (/daybook serve /.test(line)) {
      // It serves until stopped; printing its address shows that it does.
      const { child, outcome } = start(['serve', path.join(scratch, 'acme.daybook')]);
      const address = await new Promise<boolean>((resolve) => {
        let text = '';
        const read = (some: Buffer): void => {
          text += some.toString();
          if (text.includes('http://127.0.0.1:')) resolve(true);
        };
        child.stdout.on('data', read);
        child.stderr.on('data', read);
        child.on('close', () => resolve(false));
      });
      child.kill('SIGINT');
      await outcome;
      if (!address) failed.push(`${page}: ${line}: no address`);
      continue;
    }
    const { status, stderr } = spawnSync('sh', ['-c', line], {
      cwd: scratch,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` },
    });
    if (status !== 0) failed.push(`${page}: ${line}: exit status ${String(status)}\n${stderr}`);
  }
  expect(failed).toEqual([]);
});

test('the other commands are ones that npm knows, and run on the pinned Node', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const wrong: string[] = [];
  let named = 0;
  for (const page of PAGES) {
    const text = readFileSync(path.join(root, page), 'utf8');
    const lines = [
      ...codeLines(page),
      ...[...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!),
    ];
    for (const line of lines) {
      const script = /^npm run ([\w:-]+)/.exec(line)?.[1];
      if (script !== undefined) named++;
      if (script !== undefined && scripts[script] === undefined) wrong.push(`${page}: ${line}`);
      if (/^node \S+\.m?[jt]s\b/.test(line))
        wrong.push(`${page}: ${line}: "npx node" is the pinned one`);
      const file = /^npx (?:node|vitest run --project \w+) (\S+)/.exec(line)?.[1];
      if (file === undefined) continue;
      const { status } = spawnSync('test', ['-e', path.join(root, file)]);
      if (status !== 0) wrong.push(`${page}: ${line}: ${file} does not exist`);
    }
  }
  expect(named).toBeGreaterThan(10);
  expect(wrong).toEqual([]);
});
