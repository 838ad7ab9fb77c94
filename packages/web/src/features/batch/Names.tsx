import type { Selectable } from './batch-offers.ts'

const shown = 5

/** The names of some objects in a sentence; of many the first ones. */
export function Names({ of }: { of: readonly Selectable[] }) {
  return (
    <>
      {of.slice(0, shown).map(({ id, name }, i) => (
        <span key={id}>
          {i > 0 && ', '}
          <b>
            <bdi>{name}</bdi>
          </b>
        </span>
      ))}
      {of.length > shown && ` and ${of.length - shown} more`}
    </>
  )
}
