/** What a connection shows of itself; React subscribes to it. */
export class ViewStore<T extends object> {
  #view: T
  readonly #listeners = new Set<() => void>()

  constructor(view: T) {
    this.#view = view
  }

  readonly get = (): T => this.#view

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Changes a part; listeners hear of it only if something is different. */
  show(change: Partial<T>): void {
    const next = { ...this.#view, ...change }
    // The keys of a view are those of its type.
    const keys = Object.keys(next) as (keyof T)[]
    if (keys.every((key) => next[key] === this.#view[key])) return
    this.#view = next
    for (const listener of this.#listeners) listener()
  }

  close(): void {
    this.#listeners.clear()
  }
}
