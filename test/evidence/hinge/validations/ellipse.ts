import { ellipseThrough } from '../polynomials.ts';

const { atan2, cos, hypot, max, PI, sin, sqrt } = Math;

/** ρ* of the ellipse through the branch points ½ ± iβ, the largest one inside which f′_β is analytic. */
export const largestRho = (beta: number): number => ellipseThrough(0.5, beta);

/** |f′_β| at the complex point ½ + re + i·im. */
function modulus(beta: number, re: number, im: number): number {
  const [a, b] = [re * re - im * im + beta * beta, 2 * re * im];
  const [root, angle] = [sqrt(hypot(a, b)), atan2(b, a) / 2];
  const [c, d] = [root * cos(angle), root * sin(angle)];
  const squared = c * c + d * d;
  return hypot((re * c + im * d) / squared - 1, (im * c - re * d) / squared) / 2;
}

/** M: the largest |f′_β| on so many points of the ellipse of ρ. */
export function largestOnEllipse(beta: number, rho: number, points: number): number {
  const [major, minor] = [1 + rho, sqrt(rho * (2 + rho))];
  let largest = 0;
  for (let i = 0; i < points; i++) {
    const angle = (2 * PI * i) / points;
    largest = max(largest, modulus(beta, major * cos(angle) - 0.5, minor * sin(angle)));
  }
  return largest;
}
