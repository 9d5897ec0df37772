// A plugin of typedoc: formulas in comments, such as ε = 1 or ‖w‖ ≤ R, are set as formulas (MathML). Code and links stay as they are.
import { Converter } from 'typedoc';
import { prose } from '../dist/src/node/report/markup.js';

/** Markdown with its formulas as MathML, but for those in links, in code and in tags. */
export function markdownWithFormulas(text) {
  return text
    .split(/(\[[^\]]*\]\([^)]*\)|`+[^`]*`+|<[^>]*>)/)
    .map((part, place) => (place % 2 === 1 ? part : prose(part, (between) => between)))
    .join('');
}

/** Before names are resolved, and after the tasks of an entry were read from its table. */
export function load(application) {
  application.converter.on(
    Converter.EVENT_RESOLVE_BEGIN,
    ({ project }) => {
      for (const reflection of Object.values(project.reflections)) {
        const { comment } = reflection;
        if (comment === undefined) continue;
        for (const parts of [comment.summary, ...comment.blockTags.map(({ content }) => content)]) {
          for (const part of parts) if (part.kind === 'text') part.text = markdownWithFormulas(part.text);
        }
      }
    },
    -20_000,
  );
}
