import { useState } from 'react'

/**
 * The fields of a form: the user's changes on top of defaults. Defaults may arrive late, such as a preselected VM, and
 * are not changes. A field that has its default again does not make the form dirty.
 */
export function useFields<Fields extends object>(defaults: Fields) {
  const [changed, setChanged] = useState<Partial<Fields>>({})
  const form: Fields = { ...defaults, ...changed }
  const fields = Object.keys(changed) as (keyof Fields)[]
  return {
    form,
    change: (part: Partial<Fields>) => setChanged((before) => ({ ...before, ...part })),
    dirty: fields.some((field) => form[field] !== defaults[field]),
  }
}
