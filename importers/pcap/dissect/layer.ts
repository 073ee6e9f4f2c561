/**
 * The result of dissecting a packet: its protocol layers from the outside in, each with its fields, named as in
 * Wireshark. All offsets are bytes from the frame's start, so that a field can be shown in a hex view. Values are
 * text that is safe to show: text from the packet is bounded, with control and direction characters escaped.
 */

export interface LayerField {
  name: string;
  value: string;
  offset: number;
  /** 0 for values that are inferred rather than read. */
  length: number;
  fields?: LayerField[];
}

export interface Layer {
  name: string;
  /** The most important facts in one line; empty if there are none. */
  summary: string;
  offset: number;
  /** Header bytes; for an application layer, all of its bytes. */
  length: number;
  fields: LayerField[];
}

export interface PacketLayers {
  layers: Layer[];
  /** Truncation, malformed parts and errors of the packet; empty if there are none. */
  notes: string[];
}
