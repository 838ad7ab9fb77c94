/** Something that this browser remembers of how its user likes the console. */
export function preference<T>(name: string, standard: T, isValid: (value: unknown) => boolean) {
  const key = `slipway.console.${name}`
  return {
    get(): T {
      try {
        const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
        // Checked by whoever knows what it may be.
        return isValid(value) ? (value as T) : standard
      } catch {
        return standard
      }
    },
    set(value: T): void {
      try {
        localStorage.setItem(key, JSON.stringify(value))
      } catch {
        // Without storage it holds until the page is left.
      }
    },
  }
}
