/**
 * Import rules: the layers of docs/architecture.md as an allowlist. What no line allows is an error,
 * so a new folder or a new package needs a line here before anything can use it.
 * `.ci/check-imports.mjs --self-test` proves that forbidden imports are found.
 */
const TEST = '[.](test|bench)[.]tsx?$';

/** Packages by their folder, wherever they resolve to. */
const packages = (...names) => names.map((name) => `(^|/)node_modules/${name}/`);
const CORE = { dependencyTypes: ['core'] };

const allow = (from, ...to) => to.map((target) => ({ from: { path: from }, to: target }));
const paths = (...list) => ({ path: list });

/** What the window is made of. */
const WINDOW = [
  '(@types/)?react(-dom)?',
  '@mantine/[a-z]+',
  '@tabler/icons-react',
  '@tanstack/react-(table|virtual)',
  '@codemirror/[a-z]+',
  '@lezer/[a-z]+',
  '(@types/)?d3-[a-z]+',
  'dayjs',
  'uplot',
  'zustand',
];

const CONTRACT = '^engine/contract/';
const UTIL = '^engine/util/';
/** Open addressing, also for importers. */
const HASH_TABLE = '^engine/util/hash-table/';
/** Batches that importers fill, and the interfaces by which evidence is read. */
const COLUMNS = '^engine/columns/';
const EVIDENCE = '^engine/evidence/';
const FIELDS = '^engine/fields/';
const MEASURE = '^engine/measure/';
const CATALOG = '^engine/catalog/';
const STORE = '^engine/store/';
const INGEST = '^engine/ingest/';
const QUERY = '^engine/query/';
/** The language's grammar, which the window reads as well: it needs no case. */
const SYNTAX = '^engine/query/syntax/';
const SYNTAX_INDEX = '^engine/query/syntax/index[.]ts$';
const INDEX = '^engine/index/';
const SCAN = '^engine/scan/';
const SEARCH = '^engine/search/';
/** All of `engine/search` that others may use. */
const SEARCH_INDEX = '^engine/search/index[.]ts$';
/** What operations may use of the modules that store and answer. */
const INDEXES = '^engine/(search|ingest|store|catalog|index)/index[.]ts$';

module.exports = {
  forbidden: [
    { name: 'not-resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-cycle',
      comment: 'Neither code nor types refer to each other in a circle.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'offline',
      comment: 'The engine, the importers and the command line open no connection of their own.',
      severity: 'error',
      // A pipe that was handed over is a socket to Node.
      from: {
        path: '^(engine|importers|app/cli)/',
        pathNot: [TEST, '^importers/shared/files/pipe-stream[.]ts$'],
      },
      to: { path: '^(node:)?(net|tls|https?|http2|dgram|dns)(/|$)' },
    },
    {
      name: 'tests-are-leaves',
      severity: 'error',
      from: {},
      to: { path: TEST },
    },
    {
      name: 'test-helpers-are-for-tests',
      severity: 'error',
      from: { pathNot: [TEST, '/testing/', '^bench/', '^e2e/'] },
      to: { path: '/testing/' },
    },
  ],
  allowedSeverity: 'error',
  allowed: [
    // The engine, from the innermost layer outwards.
    ...allow(CONTRACT, paths(CONTRACT, ...packages('zod'))),
    ...allow(UTIL, paths(UTIL, CONTRACT), CORE),
    ...allow(COLUMNS, paths(COLUMNS, CONTRACT)),
    ...allow(EVIDENCE, paths(EVIDENCE, COLUMNS, CONTRACT)),
    ...allow(FIELDS, paths(FIELDS, COLUMNS, UTIL, CONTRACT, ...packages('zod'))),
    ...allow(MEASURE, paths(MEASURE, UTIL, CONTRACT), CORE),
    ...allow(INDEX, paths(INDEX, UTIL, CONTRACT), CORE),
    ...allow('^engine/query/(?!syntax/)', paths(QUERY, FIELDS, COLUMNS, UTIL, CONTRACT)),
    ...allow(
      SYNTAX,
      paths(SYNTAX, '^engine/query/(values/address|filters/number-range)[.]ts$', CONTRACT),
    ),
    // What operators ask of an index is an interface (engine/query/plan/known-rows/index-view.ts); tests ask a real one.
    ...allow('^engine/query/testing/', paths(INDEX)),
    // Faces of operators on a real index.
    ...allow('^engine/query/(testing/|.*[.]test[.]ts$)', paths('^engine/search/access-paths/')),
    ...allow(SCAN, paths(SCAN, QUERY, FIELDS, EVIDENCE, COLUMNS, MEASURE, UTIL, CONTRACT), CORE),
    ...allow(
      CATALOG,
      paths(CATALOG, MEASURE, UTIL, CONTRACT, ...packages('(@types/)?better-sqlite3')),
      CORE,
    ),
    ...allow(
      STORE,
      paths(STORE, COLUMNS, MEASURE, UTIL, CONTRACT, ...packages('@duckdb/node-api')),
      CORE,
    ),
    ...allow(
      SEARCH,
      paths(SEARCH, QUERY, FIELDS, INDEX, STORE, CATALOG, COLUMNS, MEASURE, UTIL, CONTRACT),
      CORE,
    ),
    ...allow(
      INGEST,
      paths(INGEST, FIELDS, INDEX, STORE, CATALOG, EVIDENCE, COLUMNS, MEASURE, UTIL, CONTRACT),
      CORE,
    ),
    ...allow(
      '^engine/operations/',
      paths(
        '^engine/operations/',
        ...[INDEXES, SCAN, QUERY, FIELDS, EVIDENCE, COLUMNS, MEASURE, UTIL, CONTRACT],
      ),
      CORE,
    ),
    // Clients of servers: only commands that name one load them.
    ...allow('^engine/operations/cluster/', paths(...packages('@clickhouse/client'))),
    ...allow('^engine/operations/hand-over/bucket[.]ts$', paths(...packages('@aws-sdk/client-s3'))),
    ...allow('^engine/[^/]+[.]ts$', paths('^engine/'), CORE),

    // Importers: each by itself.
    ...allow(
      '^importers/([^/]+)/',
      paths(
        '^importers/$1/',
        '^importers/shared/',
        FIELDS,
        EVIDENCE,
        HASH_TABLE,
        COLUMNS,
        CONTRACT,
      ),
      CORE,
    ),
    // Decompression that node:zlib does not have.
    ...allow('^importers/shared/', paths(...packages('(@types/)?yauzl'))),
    ...allow('^importers/registry[.]ts$', paths('^importers/[^/]+/index[.]ts$', EVIDENCE)),

    // The application: two entry points join the parts, the shells only see these.
    ...allow(
      '^app/(compose|readers|given-file|scan-tools|settings|threads/[^/]+)[.]ts$',
      paths(
        '^engine/',
        '^importers/(registry[.]ts$|shared/)',
        '^importers/pcap/(index|formats/(record|pcapng-slice)|payload/read-(files|payloads|stream)|dissect/index)[.]ts$',
        '^app/(compose|readers|scan-tools|settings|threads/[^/]+)[.]ts$',
      ),
      CORE,
    ),
    ...allow(
      '^app/(cli|web|electron)/',
      paths('^app/$1/', '^app/(compose|readers|given-file|scan-tools|settings)[.]ts$', CONTRACT),
      CORE,
    ),
    // The command line runs the engine in its own process: docs/adr/0004-command-line-in-process.md.
    ...allow('^app/cli/', paths('^engine/operations/', SEARCH_INDEX)),
    // What the shells share, and the engine's process that they start.
    ...allow('^app/(folders|version|cache-folder|bundled)[.]m?[tj]s$', CORE),
    ...allow('^app/(cli/daybook|engine/start)[.]mjs$', paths('^app/bundled[.]mjs$')),
    ...allow('^app/(cli/daybook[.]mjs|folders[.]ts)$', paths('^app/cache-folder[.]d?[.]?m[tj]s$')),
    ...allow('^app/settings[.](test[.])?ts$', paths('^app/(folders|settings)[.]ts$')),
    ...allow(
      '^app/engine/',
      paths(
        '^app/(engine/|(compose|settings|folders|version)[.]ts$)',
        '^engine/([^/]+[.]ts$|util/|operations/)',
        SEARCH_INDEX,
        CONTRACT,
        '^fixtures/generate[.]ts$',
      ),
      CORE,
    ),
    ...allow(
      '^app/(cli|web|electron|start[.]ts)',
      paths(
        '^app/engine/(process|command|node)[.]ts$',
        '^app/(desktop|page|version)[.]ts$',
        CONTRACT,
      ),
    ),
    ...allow('^app/page[.]ts$', CORE),
    ...allow(
      '^app/electron/',
      paths('^app/(page|folders)[.]ts$', '^app/engine/', ...packages('electron')),
      CORE,
    ),
    ...allow('^app/(electron|cli)/vite[.]config[.]ts$', paths(...packages('vite')), CORE),
    ...allow('^app/(build[.]ts|cli/prepare[.]mjs)$', paths('^app/cli/bundle[.]ts$')),
    ...allow('^app/cli/bundle[.]ts$', paths('^app/built[.]ts$')),
    ...allow('^app/web/', paths(...packages('sirv', 'ws', '@types/ws'))),
    ...allow('^app/cli/commands/(serve|open)[.]ts$', paths('^app/web/')),
    ...allow('^app/start[.]ts$', paths('^app/(web/|cli/output[.]ts$)'), CORE),
    ...allow(
      '^app/desktop[.]ts$',
      paths('^app/built[.]ts$', '^app/web/window-files[.]ts$', CONTRACT),
      CORE,
    ),
    ...allow('^app/built[.]ts$', paths('^app/lock-file[.]ts$', CONTRACT), CORE),
    ...allow('^app/lock-file([.]test)?[.]ts$', paths('^app/lock-file[.]ts$', CONTRACT), CORE),
    ...allow('^app/threads[.]test[.]ts$', paths('^app/threads[.]ts$')),
    ...allow('^app/build[.]ts$', paths('^app/desktop[.]ts$', CONTRACT)),
    ...allow('^app/web/', paths('^app/built[.]ts$')),

    // The window: sees the engine's contract and its query language, and a panel sees the panel interface only.
    ...allow(
      '^renderer/(?!panels/)',
      paths(
        '^renderer/(client|state|widgets|shell)/',
        '^renderer/[^/]+[.]tsx?$',
        SYNTAX_INDEX,
        CONTRACT,
      ),
    ),
    // The shell gives each panel its place.
    ...allow('^renderer/shell/', paths('^renderer/panels/[^/]+/index[.]tsx$')),
    ...allow(
      '^renderer/panels/([^/]+)/',
      paths('^renderer/panels/$1/', '^renderer/panel-api[.]ts$', '^renderer/widgets/', CONTRACT),
    ),
    ...allow('^renderer/', paths(...packages(...WINDOW))),
    ...allow(
      '^renderer/vite[.]config[.]ts$',
      paths(...packages('vite', '@vitejs/plugin-react')),
      CORE,
    ),

    // What stands beside the product uses it from outside.
    ...allow('^fixtures/', paths('^fixtures/'), CORE),
    ...allow(
      '^e2e/(window|electron|provision)/',
      paths(...packages('@playwright/test', 'axe-core', 'vitest')),
    ),
    ...allow('^e2e/', paths('^e2e/', '^fixtures/'), CORE),
    // Many commands in one process.
    ...allow('^e2e/cli/commands[.]ts$', paths('^app/(bundled[.]mjs|cli/command-line[.]ts)$')),
    // The published schema of what the command line prints.
    ...allow('^e2e/cli/', paths('^engine/contract/wire/json-document[.]ts$')),
    // One suite of the contract for every shell needs to start each of them.
    ...allow(
      '^e2e/conformance/',
      paths(
        CONTRACT,
        '^app/(engine|web)/',
        '^app/compose[.]ts$',
        ...packages('ws', '@types/ws', '@playwright/test'),
      ),
    ),
    // Decoders against the tools of the machine, thousands of streams in one process.
    ...allow(
      '^e2e/torture/decoders[.]ts$',
      paths('^engine/contract/errors[.]ts$', '^importers/shared/decompress/decompress[.]ts$'),
    ),
    // A capture for a walk through the window.
    ...allow('^e2e/window/', paths('^importers/pcap/(protocols/)?testing/')),
    ...allow('^e2e/(cli|window)/', paths('^importers/shared/testing/')),
    // What damage did to a catalog is seen without the product.
    ...allow('^e2e/torture/protocols[.]ts$', paths('^importers/pcap/protocols/testing/')),
    ...allow('^e2e/torture/damage[.]ts$', paths(...packages('better-sqlite3'))),
    // Queries as ClickHouse takes them, and names of what it has as numbers.
    ...allow(
      '^e2e/torture/(ask|clickhouse)[.]ts$',
      paths('^engine/operations/sql/clickhouse-query[.]ts$', '^engine/query/filters/names[.]ts$'),
    ),
    // A second opinion on answers: SQL over the segments.
    ...allow(
      '^e2e/torture/plain-sql[.]ts$',
      paths(...packages('better-sqlite3', '@duckdb/node-api')),
    ),
    // What a command changes is stopped from outside, at each step.
    ...allow('^e2e/torture/steps[.]ts$', paths(...packages('better-sqlite3'))),
    // Thousands of cases are verified and read, without processes for each.
    ...allow(
      '^e2e/torture/check[.]ts$',
      paths(
        CONTRACT,
        '^engine/operations/verify/verify-case[.]ts$',
        SEARCH_INDEX,
        '^importers/(registry|shared/archives/walk)[.]ts$',
        '^app/settings[.]ts$',
      ),
    ),
    // Thousands of questions to one case, without a process for each; a window's through the contract.
    ...allow(
      '^e2e/torture/ask[.]ts$',
      paths(
        CONTRACT,
        '^engine/operations/(query/(answer-records|request-range)|sql/clickhouse-query|handlers)[.]ts$',
        '^engine/(host|testing/memory-pipe)[.]ts$',
        SEARCH_INDEX,
        '^app/settings[.]ts$',
        '^app/engine/services[.]ts$',
      ),
    ),
    ...allow('^e2e/torture/views[.]ts$', paths(CONTRACT)),
    // ClickHouse has numbers where Daybook shows names.
    ...allow('^e2e/torture/handed-over[.]ts$', paths('^engine/contract/event[.]ts$')),
    ...allow('^e2e/electron/', paths(...packages('@playwright/test')), CORE),
    ...allow(
      '^bench/',
      paths(
        ...['^bench/', '^fixtures/', '^engine/', '^app/(compose|settings)[.]ts$', '^importers/'],
        ...packages('@duckdb/node-api', '(@types/)?better-sqlite3'),
      ),
      CORE,
    ),
    ...allow('^bench/ui', paths('^e2e/(provision|window/pages)/', ...packages('@playwright/test'))),
    ...allow(
      '^bench/experiments/hand-over[.]ts$',
      paths('^e2e/provision/', '^e2e/clickhouse-server[.]ts$'),
    ),

    // Tests: what their folder may, and the test tools.
    ...allow(TEST, paths(...packages('vitest', 'fast-check')), CORE),
    ...allow(`^engine/(query|scan)/.*${TEST}`, paths(...packages('@duckdb/node-api'))),
    ...allow('^engine/fields/testing/', CORE),
    ...allow('^engine/(index|scan)/.*/testing/', paths(...packages('vitest', 'fast-check')), CORE),
    // What the window writes into queries is tested with the parser that reads them.
    ...allow(`^renderer/.*${TEST}`, paths('^engine/query/index[.]ts$')),
    // Imports are tested with what they run with.
    ...allow(
      '^engine/ingest/(testing/|.*[.]test[.]ts$)',
      paths('^importers/(registry[.]ts$|shared/|pcap/testing/)', '^engine/ingest/testing/'),
      CORE,
    ),
    ...allow('^engine/ingest/testing/', paths(INGEST, STORE, CATALOG, EVIDENCE, UTIL, CONTRACT)),
    // Frames without a process between.
    ...allow('^engine/testing/', paths(CONTRACT)),
    // Operations on evidence are tested with what reads it.
    ...allow(
      '^engine/(operations|search)/.*[.]test[.]ts$',
      paths('^app/compose[.]ts$', ...packages('@duckdb/node-api', '(@types/)?better-sqlite3')),
    ),
    ...allow(
      '^engine/operations/(testing/|.*[.]test[.]ts$)',
      paths(SEARCH, INGEST, STORE, CATALOG, INDEX),
    ),
    // A case is imported and changed before it is searched.
    ...allow('^engine/search/.*[.]test[.]ts$', paths('^engine/(operations|scan)/', INGEST)),
    ...allow('^engine/search/testing/', paths(...packages('vitest'), INGEST), CORE),
    ...allow('^engine/query/testing/', paths(...packages('@duckdb/node-api', 'vitest')), CORE),
    ...allow(
      `^(engine|importers)/.*${TEST}`,
      paths(
        '^importers/(shared/testing/|registry[.]ts$)',
        '^importers/(journal|pcap(/protocols)?)/testing/',
        '^fixtures/evidence/',
        '^engine/testing/memory-pipe[.]ts$',
      ),
    ),
    ...allow('^[^/]+[.]config[.](js|ts)$', paths(...packages('vitest')), CORE),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['[.]daybook/', '/dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
