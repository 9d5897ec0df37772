/**
 * c_ε of PrivUnitG, the variance of a coordinate of a report: 1/γ² with γ = φ(γ)/(1/(e^ε − 1) + Φ(−γ)); computed with mpmath, not by
 * the code that draws reports.
 */
export const COORDINATE_VARIANCE: Readonly<Record<number, number>> = {
  1: 6.330041608,
  2: 1.616681067,
  3: 0.7425490207,
  4: 0.4353206056,
  6: 0.2131664147,
  8: 0.1329125124,
};
