/**
 * What a dissected packet looks like: its protocol layers from the outside in, each with its fields,
 * named as Wireshark names them. All offsets are bytes from the frame's start, so that a field can be
 * shown in a hex view. Values are text that is safe to show: what comes from the packet is bounded,
 * with control and direction characters escaped.
 */

export interface LayerField {
  name: string;
  value: string;
  offset: number;
  /** 0 for what is concluded rather than read. */
  length: number;
  fields?: LayerField[];
}

export interface Layer {
  name: string;
  /** One line of what matters most; empty when there is nothing to say. */
  summary: string;
  offset: number;
  /** Header bytes; of an application layer, all of its bytes. */
  length: number;
  fields: LayerField[];
}

export interface PacketLayers {
  layers: Layer[];
  /** What is cut, malformed or wrong with the packet; empty when nothing is. */
  notes: string[];
}
