/** The whole window: start page or case, engine banner, dialogs, palette. */
import { Alert, Button, Loader } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { Suspense, useEffect } from 'react';
import { useSession, useWorkspace } from '../state/context.ts';
import { notifyError } from '../state/notify.ts';
import { formatMs } from '../state/view/time.ts';
import { visibleText } from '../widgets/texts/visible-text.ts';
import { CaseWindow } from './case-window.tsx';
import { useCutTitles } from './cut-titles.ts';
import { FailureBoundary } from './failure-boundary.tsx';
import { useKeepFocus } from './keep-focus.ts';
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
  useKeepFocus();
  useCutTitles();
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

/** Says when the engine is gone, and when or how it comes back. */
function EngineBanner() {
  const workspace = useWorkspace();
  const { state, restarts, reason, restart } = useSession((session) => session.engine);
  if (state !== 'down' && !(state === 'starting' && restarts > 0)) return null;
  return (
    <Alert
      role="alert"
      color="red.9"
      variant="filled"
      styles={{ title: { color: 'inherit' } }}
      icon={<IconPlugConnectedX size={18} />}
      title={
        state === 'starting'
          ? 'The engine stopped and is restarting'
          : typeof restart === 'number'
            ? `The engine stopped and will restart in ${formatMs(restart)}`
            : 'The engine stopped'
      }
      style={{
        position: 'fixed',
        right: 0,
        bottom: 26,
        left: 0,
        zIndex: 500,
        background: 'var(--alert-bg)',
        border: 0,
        borderRadius: 0,
      }}
    >
      {reason !== undefined && `Reason: ${visibleText(reason, 400)}. `}Everything committed to the
      case is kept.{' '}
      {state === 'down' && restart === 'on-request' && (
        <Button size="compact-xs" variant="white" ml={6} onClick={() => workspace.startEngine()}>
          Start again
        </Button>
      )}
      {state === 'down' && restart === undefined && (
        <Button size="compact-xs" variant="white" ml={6} onClick={() => window.location.reload()}>
          Reload the window
        </Button>
      )}
    </Alert>
  );
}
