import { blocksOf } from './markdown.ts';

/** One thing that the reader of a guide does: runs a program or commands, or writes a file. */
export type Step = { readonly place: string } & (
  | { readonly kind: 'program'; readonly code: string; readonly printed: string | undefined }
  | { readonly kind: 'commands'; readonly code: string; readonly exit: number; readonly printed: string | undefined }
  | { readonly kind: 'file'; readonly name: string; readonly content: string }
);

/**
 * What a reader of a guide does, from top to bottom: `ts` programs, `sh` commands (marked `sh exits 3` where they end
 * with another code than 0), and files, whose mark has their name: `json people.schema.json`. A `text` block right
 * below says what is printed.
 *
 * @throws Error for a block that would not be tried.
 */
export function stepsOf(path: string, text: string): readonly Step[] {
  const steps: Step[] = [];
  for (const { mark, line, code, follows } of blocksOf(text)) {
    const place = `${path}:${line}`;
    const [language, ...words] = mark.split(/\s+/);
    const last = steps.at(-1);
    if (language === 'ts' && words.length === 0) steps.push({ place, kind: 'program', code, printed: undefined });
    else if (mark === 'ts continued' && last?.kind === 'program' && last.printed === undefined) {
      steps[steps.length - 1] = { ...last, code: `${last.code}\n${code}` };
    } else if (language === 'sh' && (words.length === 0 || words[0] === 'exits')) {
      steps.push({ place, kind: 'commands', code, exit: Number(words[1] ?? 0), printed: undefined });
    } else if (language === 'text' && follows && last !== undefined && last.kind !== 'file' && !last.printed) {
      steps[steps.length - 1] = { ...last, printed: code };
    } else if (/^[\w-]+(\.[\w-]+)+$/.test(words[0] ?? '')) {
      steps.push({ place, kind: 'file', name: words[0], content: `${code}\n` });
    } else throw new Error(`${place} has the mark "${mark}": nothing would try it`);
  }
  return steps;
}

/** Whether a text is what a guide shows; `…` in the guide stands for anything, and also for several lines. */
export function isAsShown(printed: string, shown: string): boolean {
  const parts = shown.trimEnd().split('…');
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[\\s\\S]*');
  return new RegExp(`^${pattern}$`).test(printed.trimEnd());
}
