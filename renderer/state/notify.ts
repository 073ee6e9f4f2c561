/** Short messages in the corner of the window: what went wrong and what to do, or what was done. */
import { notifications } from '@mantine/notifications';
import { errorInfoOf } from '../../engine/contract/wire/client.ts';
import { errorWords } from '../widgets/texts/window-words.ts';

/** Reports an operation's error; a cancelled one needs no message. */
export function notifyError(error: unknown, title: string): void {
  const info = errorInfoOf(error);
  if (info.code === 'cancelled') return;
  const { message, hint } = errorWords(info);
  notifications.show({
    color: 'red',
    title,
    message: hint === undefined ? message : `${message} ${hint}`,
    autoClose: 12_000,
  });
}

/** Reports a partial success: longer on the screen than a message that needs no attention. */
export function notifyPartly(message: string, title: string): void {
  notifications.show({ color: 'yellow', title, message, autoClose: 12_000 });
}

/** Reports success, with the role `status`: alerts are for errors. */
export function notifyDone(message: string, title?: string): void {
  notifications.show({
    color: 'teal',
    message,
    role: 'status',
    ...(title === undefined ? {} : { title }),
  });
}
