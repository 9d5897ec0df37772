// A plugin of typedoc: the page of an entry lists its exports by task. The tasks are the rows of the table that the comment of the
// entry begins with; what no row links to is listed below them, by its kind.
import { Comment, CommentTag, Converter, ReflectionKind } from 'typedoc';

/**
 * The rows of such a table: what one wants to do, and the names that it links to.
 *
 * @param {readonly { kind: string, text: string }[]} parts of a comment
 * @returns {{ task: string, names: string[] }[]}
 */
export function tasksOf(parts) {
  const rows = [];
  let line = '';
  let names = [];
  const end = () => {
    const [, task, start] = /^\| *([^|]+?) *\|(.*)\|$/.exec(line.trim()) ?? [];
    if (task !== undefined && start !== undefined && names.length > 0) rows.push({ task, names });
    line = '';
    names = [];
  };
  for (const part of parts) {
    if (part.kind === 'inline-tag') {
      line += part.text;
      names.push(part.text.trim());
      continue;
    }
    const [first, ...others] = part.text.split('\n');
    line += first;
    for (const next of others) {
      end();
      line = next;
    }
  }
  end();
  return rows;
}

/** What an export is described by: a function by its first signature. */
const described = (child) => child.signatures?.[0] ?? child;

/** After typedoc has made the groups. */
const LATE = -10_000;

export function load(application) {
  const orders = new Map();
  application.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
      const groups = new Map();
      for (const { task, names } of tasksOf(module.comment?.summary ?? [])) {
        const title = `To ${task.replace(/[`*]/g, '')}`;
        for (const name of names) if (!groups.has(name)) groups.set(name, title);
      }
      if (groups.size === 0) throw new Error(`the comment of ${module.name} begins with no table of tasks`);
      orders.set(module.name, [...new Set(groups.values())]);
      for (const child of module.children ?? []) {
        const title = groups.get(child.name);
        if (title === undefined) continue;
        const target = described(child);
        target.comment ??= new Comment();
        target.comment.blockTags.push(new CommentTag('@group', [{ kind: 'text', text: title }]));
      }
    }
  });
  // Tasks in the order of the table; then the kinds, of which what is only inside comes last.
  application.converter.on(
    Converter.EVENT_RESOLVE_END,
    ({ project }) => {
      for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
        const titles = orders.get(module.name) ?? [];
        const place = ({ title }) =>
          titles.includes(title) ? titles.indexOf(title) : titles.length + (title === 'Modules' ? 1 : 0);
        module.groups?.sort((a, b) => place(a) - place(b));
      }
    },
    LATE,
  );
}
