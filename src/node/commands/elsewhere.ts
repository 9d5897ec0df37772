/** Options that one kind of protocols has, and what the others say of them. */
const REASONS: Readonly<Record<string, (protocol: string) => string>> = {
  ...reasons(['server', 'decoder'], () => 'it is for linear models from noisy copies of records'),
  ...reasons(
    ['mu', 'hessianMu', 'method', 'level', 'hessianFloor', 'alpha', 'gamma', 'burnIn', 'ndjson', 'save', 'resume'],
    (protocol) => `${protocol} is no stream of players`,
  ),
  ...reasons(['profile', 'players', 'samples', 'spread'], () => 'it is for players with several samples'),
  ...reasons(['round'], (protocol) => `${protocol} has no rounds`),
  ...reasons(['request'], (protocol) => `parameters of ${protocol} are made from its options`),
};

/** Why an option is refused that only another kind of protocols has; undefined where several have it. */
export function elsewhere(protocol: string, option: string): string | undefined {
  return Object.hasOwn(REASONS, option) ? REASONS[option](protocol) : undefined;
}

function reasons(names: readonly string[], reason: (protocol: string) => string) {
  return Object.fromEntries(names.map((name) => [name, reason]));
}
