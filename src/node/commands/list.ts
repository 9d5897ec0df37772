import { jsonText, print, printJson } from '../print.ts';
import { loadAnyStudy, protocolNames } from '../studies.ts';

/** `ldpkit list`: the protocols of this package, with their makers of parameters. */
export async function list(options: { readonly json?: boolean }): Promise<void> {
  const names = protocolNames();
  const studies = await Promise.all(names.map(loadAnyStudy));
  if (options.json === true) {
    const document = studies.map(({ summary, makers }, index) => ({ protocol: names[index], summary, makers }));
    printJson(jsonText(document));
    return;
  }
  const lines = studies.flatMap(({ summary, makers }, index) => [
    `${names[index]}: ${summary}`,
    `  makers, best first: ${makers.join(', ')}`,
  ]);
  print(lines);
}
