/** Joins class names; whatever is not a text, such as a condition that failed, is left out. */
export function cx(...names: unknown[]): string {
  return names.filter((name) => name && typeof name === 'string').join(' ')
}
