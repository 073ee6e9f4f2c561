/** The header's two buttons about time: which range is looked at, and in which zone times are. */
export { RangePicker } from './range-picker.tsx';
export { ZonePicker } from './zone-picker.tsx';
