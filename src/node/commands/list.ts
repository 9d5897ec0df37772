import { loadAnyStudy, protocolNames } from '../studies.ts';

/** `ldpkit list`: the protocols of this package, with their makers of parameters. */
export async function list(options: { readonly json?: boolean }): Promise<void> {
  const names = protocolNames();
  const studies = await Promise.all(names.map(loadAnyStudy));
  if (options.json === true) {
    const document = studies.map(({ summary, makers }, index) => ({ protocol: names[index], summary, makers }));
    process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
    return;
  }
  const lines = studies.flatMap(({ summary, makers }, index) => [
    `${names[index]}: ${summary}`,
    `  makers, best first: ${makers.join(', ')}`,
  ]);
  process.stdout.write(`${lines.join('\n')}\n`);
}
