/** The window's entry: connects, then shows the shell. */
import './client/locale.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import '@mantine/dates/styles.css';
import './shell/global.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Connection } from '../engine/contract/wire/client.ts';
import { styleNonce } from './client/nonce.ts';
import { bridge, openPipe } from './client/pipe.ts';
import { App } from './shell/app.tsx';
import { cssVariables, theme } from './shell/theme.ts';
import { WorkspaceContext } from './state/context.ts';
import { createWorkspace } from './state/case/workspace.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
// The library that locks the page's scrolling behind a dialog looks here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
const workspace = createWorkspace(new Connection(openPipe()), bridge());

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <WorkspaceContext value={workspace}>
        <Notifications position="bottom-right" />
        <App />
      </WorkspaceContext>
    </MantineProvider>
  </StrictMode>,
);
