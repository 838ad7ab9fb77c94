/** Joins class names. Values that are not strings, such as a false condition, are left out. */
export function cx(...names: unknown[]): string {
  return names.filter((name) => name && typeof name === 'string').join(' ')
}
