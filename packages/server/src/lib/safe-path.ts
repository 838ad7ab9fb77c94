const HERE = 'http://here.invalid'

/**
 * A path to lead somebody to who is at this origin: the one that was asked for, to the letter, or `/` where that could lead
 * to another host, at once or when what it comes to is read once more.
 */
export function safePath(path: string | null | undefined): string {
  // Browsers take backslashes for slashes and leave out control characters: either could lead to another host.
  const isPlain = typeof path === 'string' && path.length <= 4_000 && /^\/(?![/\\])[\x21-\x7e]*$/.test(path)
  // Of `/.//host`, with dots in any spelling, `//host` is left.
  return isPlain && URL.canParse(path, HERE) && !new URL(path, HERE).pathname.startsWith('//') ? path : '/'
}
