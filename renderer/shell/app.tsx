/** The whole window: start page or case, engine banner, dialogs, palette. */
import { Alert, Button, Loader } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { Suspense, useEffect } from 'react';
import { useSession, useWorkspace } from '../state/context.ts';
import { notifyError } from '../state/notify.ts';
import { CaseWindow } from './case-window.tsx';
import { FailureBoundary } from './failure-boundary.tsx';
import { Dialogs, DropTarget, Palette, StartPage } from './panels.ts';
import { useShellCommands } from './shell-commands.ts';
import { addressedCase, useViewAddress } from './view-address.ts';

export function App() {
  const workspace = useWorkspace();
  const openCase = useSession((session) => session.openCase);
  const path = openCase?.case;
  useEffect(() => {
    workspace
      .refreshInfo()
      .catch((error: unknown) => notifyError(error, 'The settings cannot be read'));
    const wanted = addressedCase();
    if (wanted !== undefined) void workspace.openCase(wanted);
  }, [workspace]);
  useShellCommands();
  useViewAddress();
  return (
    <>
      <EngineBanner />
      <FailureBoundary name="The window">
        <Suspense fallback={<Loader m="xl" size="sm" />}>
          <DropTarget>{path === undefined ? <StartPage /> : <CaseWindow key={path} />}</DropTarget>
        </Suspense>
      </FailureBoundary>
      <FailureBoundary name="A dialog">
        <Suspense fallback={null}>
          <Dialogs />
          <Palette />
        </Suspense>
      </FailureBoundary>
    </>
  );
}

/** Says when the engine is gone and that it comes back. */
function EngineBanner() {
  const engine = useSession((session) => session.engine);
  if (engine.state !== 'down' && !(engine.state === 'starting' && engine.restarts > 0)) return null;
  return (
    <Alert
      role="alert"
      color="red"
      variant="filled"
      icon={<IconPlugConnectedX size={18} />}
      title={
        engine.state === 'down' ? 'The engine stopped' : 'The engine stopped and is restarting'
      }
      style={{
        position: 'fixed',
        right: 0,
        bottom: 26,
        left: 0,
        zIndex: 500,
        borderRadius: 0,
      }}
    >
      {engine.reason ?? 'It is restarting.'} Everything committed to the case is kept.{' '}
      <Button size="compact-xs" variant="white" onClick={() => window.location.reload()}>
        Reload the window
      </Button>
    </Alert>
  );
}
