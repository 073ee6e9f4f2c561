/** The window's pipe to the engine: Electron's bridge where there is one, else a WebSocket. */
import type { Bridge } from '../../engine/contract/wire/bridge.ts';
import type { FramePipe } from '../../engine/contract/wire/client.ts';
import { FRAMES_PROTOCOL, KEY_NAME } from '../../engine/contract/wire/frame.ts';

declare global {
  interface Window {
    /** Put there by Electron's preload. */
    readonly daybook?: Bridge;
  }
}

export function bridge(): Bridge | undefined {
  const shell = window.daybook;
  return shell === undefined ? undefined : { ...shell, pathOfFile: (file) => pathOf(shell, file) };
}

/** Electron before 12 cannot pass a file over its bridge, only its path. */
function pathOf(shell: Bridge, file: File): string {
  return 'path' in file && typeof file.path === 'string' ? file.path : shell.pathOfFile(file);
}

export function openPipe(): FramePipe {
  const shell = bridge();
  return shell === undefined ? webSocketPipe() : bridgePipe(shell);
}

function bridgePipe(shell: Bridge): FramePipe {
  return {
    send: (frame) => shell.send(frame),
    onFrame: (handler) => shell.onFrame(handler),
    // The window does not outlive Electron's main process.
    onClose: () => undefined,
    close: () => undefined,
  };
}

/** Frames sent before the socket is open are queued. */
function webSocketPipe(): FramePipe {
  const { protocol, host } = window.location;
  const key = window.localStorage.getItem(KEY_NAME) ?? '';
  const socket = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/frames`, [
    FRAMES_PROTOCOL,
    ...(key === '' ? [] : [key]),
  ]);
  socket.binaryType = 'arraybuffer';
  const waiting: Uint8Array[] = [];
  socket.addEventListener('open', () => {
    for (const frame of waiting.splice(0)) socket.send(frame as Uint8Array<ArrayBuffer>);
  });
  return {
    send: (frame) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(frame as Uint8Array<ArrayBuffer>);
      else waiting.push(frame);
    },
    onFrame: (handler) =>
      socket.addEventListener('message', ({ data }) => {
        if (data instanceof ArrayBuffer) handler(new Uint8Array(data));
      }),
    onClose: (handler) =>
      socket.addEventListener('close', () => handler('the connection to Daybook was closed')),
    close: () => socket.close(),
  };
}
