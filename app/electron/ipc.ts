/** The names of messages between the preload and the main process. */

/** Preload to main, `(page)`: a page is there; `page` is new for each and is repeated with its frames. */
export const PAGE = 'daybook:page';
/** Either way: main to preload `(page, number, frame)`, preload to main `(frame)`. */
export const FRAME = 'daybook:frame';
/** Preload to main, `(page, number)`: all frames up to that number have been taken. */
export const TAKEN = 'daybook:taken';
/** Main to preload, `(command)`: a command from a menu or the system. */
export const COMMAND = 'daybook:command';
/** Preload to main, answered: the bridge's dialogs. */
export const CHOOSE_EVIDENCE = 'daybook:choose-evidence';
export const CHOOSE_CASE = 'daybook:choose-case';
export const CHOOSE_NEW_CASE = 'daybook:choose-new-case';
export const CHOOSE_SAVE = 'daybook:choose-save';
/** Preload to main, not answered. */
export const SHOW_FILE = 'daybook:show-file';
export const SET_TITLE = 'daybook:set-title';
export const SET_THEME = 'daybook:set-theme';
