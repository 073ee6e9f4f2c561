/**
 * Restrictions for every page in this application, whatever it loads: no navigation, windows, permissions or
 * network.
 */
import { app, session } from 'electron';
import type { WebContents } from 'electron';
import { isOwnUrl } from './page-protocol.ts';

/** Schemes that need no network, in addition to the window's own address. */
const LOCAL = /^(data|blob|devtools):/;
/** Writing text that a person copies; reading the clipboard is not allowed. */
const ALLOWED_PERMISSION = 'clipboard-sanitized-write';

/** To be called before the application is ready. */
export function lockDown(): void {
  // As root Chromium has no sandbox; Electron 9 would still look for one.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  // Nothing here needs names or proxies; looking for one would be a network request.
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND');
  app.commandLine.appendSwitch('no-proxy-server');
  app.commandLine.appendSwitch('disable-background-networking');
  app.commandLine.appendSwitch('disable-component-update');
  app.on('web-contents-created', (_event, contents) => confine(contents));
}

/** To be called once the application is ready, before a page is loaded. */
export function lockSession(): void {
  const one = session.defaultSession;
  one.setPermissionRequestHandler((_contents, permission, answer) =>
    answer(permission === ALLOWED_PERMISSION),
  );
  one.setPermissionCheckHandler((_contents, permission) => permission === ALLOWED_PERMISSION);
  one.webRequest.onBeforeRequest(({ url }, answer) =>
    answer({ cancel: !isOwnUrl(url) && !LOCAL.test(url) }),
  );
  one.on('will-download', (_event, item) => item.cancel());
}

function confine(contents: WebContents): void {
  contents.on('will-navigate', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
  if (typeof contents.setWindowOpenHandler === 'function') {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  } else {
    // Electron before 12.
    const emitter: NodeJS.EventEmitter = contents;
    emitter.on('new-window', (event: Event) => event.preventDefault());
  }
}
