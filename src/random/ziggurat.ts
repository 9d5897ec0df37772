const { exp, log, sqrt } = Math;

/** Number of layers of equal area under exp(−x²/2): the low byte of a word picks one. */
const LAYERS = 256;

/**
 * Where the tail begins, and the area of each layer: the only pair for which the 256 layers end exactly at the top.
 * Computed with 40 digits; agrees with the table of Doornik (2005).
 */
export const TAIL = 3.654152885361009;
const AREA = 0.004928673233974655;

/** `HEIGHT[i]` = exp(−x²/2) at the outer edge of layer i ≥ 1, and 1 in the middle, after the last. */
export const HEIGHT: Float64Array = new Float64Array(LAYERS + 1);
/** Width of layer i in units of 2³¹: a word, as a signed integer, times this is uniform over the layer. */
export const SCALE: Float64Array = new Float64Array(LAYERS);
/** A point whose word is below this in absolute value lies under the curve at any height in the layer. */
export const INSIDE: Int32Array = new Int32Array(LAYERS);
stackLayers();

/** Stacks the layers from the base, which is a rectangle with the tail beside it, to the top. */
function stackLayers(): void {
  // The base is treated as a rectangle of the same area; its part beyond TAIL stands for the tail.
  let outer = AREA / exp(-0.5 * TAIL * TAIL);
  let inner = TAIL;
  for (let i = 0; i < LAYERS; i++) {
    HEIGHT[i + 1] = i + 1 < LAYERS ? exp(-0.5 * inner * inner) : 1;
    SCALE[i] = outer * 2 ** -31;
    INSIDE[i] = (inner / outer) * 2 ** 31;
    outer = inner;
    inner = i < LAYERS - 2 ? sqrt(-2 * log(HEIGHT[i + 1] + AREA / outer)) : 0;
  }
}
