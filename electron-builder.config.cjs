/**
 * Packages the desktop application. Into the archive goes what Electron runs (main, preload, the built
 * window); beside it, as plain files, what the pinned Node runs: engine, importers, command line,
 * their packages and that Node itself.
 *
 * Nothing is fetched for the unpacked build: the Electron distribution is the one that is installed,
 * or the folder that ELECTRON_OVERRIDE_DIST_PATH names. The installers need electron-builder's own
 * tools (AppImage, fpm, NSIS), which it fetches where they are missing.
 */
const { copyFileSync, existsSync, readFileSync } = require('node:fs');
const path = require('node:path');

const root = __dirname;
const dist =
  process.env.ELECTRON_OVERRIDE_DIST_PATH ?? path.join(root, 'node_modules/electron/dist');
const versionFile = path.join(dist, 'version');
const electronVersion = existsSync(versionFile)
  ? readFileSync(versionFile, 'utf8').trim().replace(/^v/, '')
  : undefined;

/** The bytes that mark where a distribution keeps its fuses; Electron before 12 has none. */
const FUSE_WIRE = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

const manifest = (folder) =>
  JSON.parse(readFileSync(path.join(root, 'node_modules', folder, 'package.json'), 'utf8'));

/** The packages that the engine and the command line load, with all that those need. */
function runtimePackages() {
  const found = new Set();
  const add = (name) => {
    if (found.has(name) || !existsSync(path.join(root, 'node_modules', name))) return;
    found.add(name);
    const { dependencies = {}, optionalDependencies = {} } = manifest(name);
    for (const one of Object.keys({ ...dependencies, ...optionalDependencies })) add(one);
  };
  const own = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const one of Object.keys({ ...own.dependencies, ...own.optionalDependencies })) add(one);
  return [...found].sort();
}

const NOT_NEEDED = ['!**/*.test.ts', '!**/*.bench.ts', '!**/testing/**', '!**/*.md', '!**/*.map'];
const folder = (name, ...filter) => ({
  from: name,
  to: `daybook/${name}`,
  filter: ['**/*', ...NOT_NEEDED, ...filter],
});

/** States the version. Not among `extraResources`: what is there is left out of the archive. */
function addManifest({ appOutDir, packager, electronPlatformName }) {
  const resources =
    electronPlatformName === 'darwin'
      ? path.join(appOutDir, `${packager.appInfo.productFilename}.app/Contents/Resources`)
      : path.join(appOutDir, 'resources');
  copyFileSync(path.join(root, 'package.json'), path.join(resources, 'daybook/package.json'));
}

/** Removes what would let somebody run other code under the application's name. */
async function setFuses({ appOutDir, packager, electronPlatformName }) {
  const { productFilename } = packager.appInfo;
  const program = path.join(
    appOutDir,
    electronPlatformName === 'darwin'
      ? `${productFilename}.app`
      : electronPlatformName === 'win32'
        ? `${productFilename}.exe`
        : packager.executableName,
  );
  const wired =
    electronPlatformName === 'darwin'
      ? path.join(program, 'Contents/Frameworks/Electron Framework.framework/Electron Framework')
      : program;
  if (!readFileSync(wired).includes(FUSE_WIRE)) {
    console.log(`  • no fuses: Electron ${electronVersion ?? ''} has none`);
    return;
  }
  const { flipFuses, FuseVersion, FuseV1Options } = await import('@electron/fuses');
  await flipFuses(program, {
    version: FuseVersion.V1,
    resetAdHocDarwinSignature: electronPlatformName === 'darwin',
    [FuseV1Options.RunAsNode]: false,
    [FuseV1Options.EnableCookieEncryption]: true,
    [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
    [FuseV1Options.EnableNodeCliInspectArguments]: false,
    [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: electronPlatformName !== 'linux',
    [FuseV1Options.OnlyLoadAppFromAsar]: true,
    [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  });
}

module.exports = {
  appId: 'org.daybook.Daybook',
  productName: 'Daybook',
  copyright: 'Apache-2.0',
  directories: {
    output: process.env.DAYBOOK_PACKAGES ?? 'dist/packages',
    buildResources: 'app/electron/icons',
  },
  ...(existsSync(dist) ? { electronDist: dist } : {}),
  ...(electronVersion === undefined ? {} : { electronVersion }),
  extraMetadata: { main: 'app/electron/dist/main.cjs' },
  asar: true,
  npmRebuild: false,
  nodeGypRebuild: false,
  publish: null,
  files: [
    'package.json',
    '!node_modules/**',
    { from: 'app/electron/dist', to: 'app/electron/dist', filter: ['*.cjs'] },
    { from: 'app/electron/icons', to: 'app/electron/icons', filter: ['icon.png'] },
    { from: 'renderer/dist', to: 'renderer/dist', filter: ['**/*', '!**/*.{br,gz}'] },
  ],
  extraResources: [
    folder('engine'),
    folder('importers'),
    folder('fixtures'),
    // A bundle is of the sources where it was made.
    folder('app', '!electron/**', '!cli/dist/**'),
    // `daybook serve` brings its own window.
    { from: 'renderer/dist', to: 'daybook/renderer/dist' },
    ...runtimePackages().map((name) => ({
      from: `node_modules/${name}`,
      to: `daybook/node_modules/${name}`,
      filter: [
        ...['**/*', '!**/*.{md,map,markdown}', '!**/test/**', '!**/*.d.{ts,mts,cts}'],
        // Sources of native modules, and what npm itself ships with Node.
        ...['!deps/**', '!**/*.{c,cc,cpp,h,gyp}', '!lib/node_modules/**', '!share/**'],
        '!include/**',
      ],
    })),
  ],
  fileAssociations: [
    {
      ext: 'daybook',
      name: 'Daybook case',
      description: 'Daybook case',
      mimeType: 'application/x-daybook-case',
      role: 'Editor',
      isPackage: true,
    },
  ],
  linux: {
    executableName: 'daybook-window',
    target: ['dir', 'AppImage', 'deb'],
    category: 'Utility',
    synopsis: 'Offline forensic log and event explorer',
    maintainer: 'Daybook',
  },
  win: { target: ['nsis'] },
  nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: true },
  mac: { target: ['dmg'], category: 'public.app-category.utilities', identity: null },
  async afterPack(context) {
    addManifest(context);
    await setFuses(context);
  },
};
