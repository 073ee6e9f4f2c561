/** A connection reports the engine's state as it last received it, however long frames take to arrive. */
import { expect, it } from 'vitest';
import { Connection, type FramePipe } from './client.ts';
import { type EngineFrame, encodeFrame } from './frame.ts';

it('fails a call at once after it was told that the engine is down', async () => {
  const sent: Uint8Array[] = [];
  let tell: (frame: EngineFrame) => void = () => undefined;
  const pipe: FramePipe = {
    send: (frame) => void sent.push(frame),
    onFrame: (handler) => {
      tell = (frame) => handler(encodeFrame(frame));
    },
    onClose: () => undefined,
    close: () => undefined,
  };
  const connection = new Connection(pipe);
  tell({ frame: 'engine', state: 'down', reason: 'ended by SIGKILL', restarts: 0 });
  await expect(connection.call('engine.info', {})).rejects.toMatchObject({
    info: { code: 'engine-down', message: 'the engine is not running: ended by SIGKILL' },
  });
  expect(sent).toEqual([]);
  tell({ frame: 'engine', state: 'starting', restarts: 1 });
  void connection.call('engine.info', {});
  expect(sent).toHaveLength(1);
});
