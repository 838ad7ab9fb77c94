/**
 * The search and filters of a list as kept in the URL. Each key has its choices, the default first, or an empty text
 * for free text.
 */
export type ListSpec = Readonly<Record<string, '' | readonly [string, ...string[]]>>

export type ListState<S extends ListSpec> = {
  readonly [Key in keyof S]: S[Key] extends readonly string[] ? S[Key][number] : string
}

const defaultOf = (values: '' | readonly [string, ...string[]]): string => (values === '' ? '' : values[0])

/** The state that a query describes. Unknown choices are ignored. */
export function readListState<const S extends ListSpec>(search: string, spec: S): ListState<S> {
  const query = new URLSearchParams(search)
  const entries = Object.entries(spec).map(([key, values]) => {
    const said = query.get(key)
    const known = said !== null && (values === '' || values.includes(said))
    return [key, known ? said : defaultOf(values)]
  })
  // The keys are those of the spec, and each value is free text or one of its choices.
  return Object.fromEntries(entries) as ListState<S>
}

/** The query after a change. Defaults are left out, and parameters of others are kept. */
export function writeListState<const S extends ListSpec>(
  search: string,
  spec: S,
  change: Partial<ListState<S>>,
): string {
  const query = new URLSearchParams(search)
  for (const [key, value] of Object.entries<string | undefined>(change)) {
    const values = spec[key]
    if (value === undefined || values === undefined) continue
    if (value === defaultOf(values)) query.delete(key)
    else query.set(key, value)
  }
  const text = query.toString()
  return text && `?${text}`
}

/** The state of a list without search and filters. */
export const noListState = <const S extends ListSpec>(spec: S): ListState<S> => readListState('', spec)

/** Whether only free text changed: Back should not go letter by letter. */
export const isTyped = <const S extends ListSpec>(spec: S, change: Partial<ListState<S>>): boolean =>
  Object.keys(change).every((key) => spec[key] === '')
