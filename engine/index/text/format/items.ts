/** Numbering of rows' items and columns while texts are collected. */

/** Set in an item that is a shape. */
export const SHAPE_ITEM = 0x8000_0000;
/** And in one that is a form: shapes and forms are fewer than this. */
export const FORM_ITEM = 0x4000_0000;

/** The number of the message among columns. */
export const MESSAGE = 0;
/** The column for attributes that have none of their own. */
export const OVERFLOW = 'attrs';

/** Columns whose shapes the message's may imply: those of the events and the first attributes. */
export const IMPLIED_COLUMNS = 32;
