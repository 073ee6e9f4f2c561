/** The header's two buttons about time: the range shown, and the zone that times are shown in. */
export { RangePicker } from './range-picker.tsx';
export { ZonePicker } from './zone-picker.tsx';
