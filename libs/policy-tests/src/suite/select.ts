import type { PolicyCase, Tag } from '../cases';

/** Which cases are run; null = whatever theirs is. */
export interface Selection {
  /** A text in the id, the name or the file of a case, whatever its case. */
  filter: string | null;
  /** One of these on a case. */
  tags: readonly Tag[] | null;
}

export function selected(cases: readonly PolicyCase[], { filter, tags }: Selection): PolicyCase[] {
  const text = filter?.toLowerCase() ?? '';
  return cases.filter(
    (one) =>
      [one.id ?? '', one.name, one.file].some((where) => where.toLowerCase().includes(text)) &&
      (tags === null || tags.some((tag) => one.tags.includes(tag))),
  );
}
