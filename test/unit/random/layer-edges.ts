import { normalLaw } from '../../statistics/incomplete-gamma.ts';

/** The edges x₁ > x₂ > … > x₂₅₅ of the layers, stacked again here, and the width of the base before them. */
export function layerEdges(): number[] {
  const tail = 3.654152885361009;
  const height = (x: number): number => Math.exp(-0.5 * x * x);
  // One layer is the rectangle up to the tail, and the tail.
  const area = tail * height(tail) + Math.sqrt(2 * Math.PI) * normalLaw(-tail);
  const edges = [area / height(tail), tail];
  while (edges.length < 256) {
    const outer = edges[edges.length - 1];
    edges.push(Math.sqrt(-2 * Math.log(height(outer) + area / outer)));
  }
  return edges;
}
