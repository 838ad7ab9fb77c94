import { createContext, useContext } from 'react'

/** What a `Field` passes to its control. */
export interface FieldState {
  id: string
  labelId: string
  describedBy: string | undefined
  invalid: boolean
}

export const FieldContext = createContext<FieldState | null>(null)

/** Ids and state that a `Field` gives to its control, as props to spread. */
export function useFieldProps(
  own: { id?: string | undefined; 'aria-describedby'?: string | undefined } = {},
) {
  const field = useContext(FieldContext)
  return {
    id: own.id ?? field?.id,
    'aria-describedby': own['aria-describedby'] ?? field?.describedBy,
    'aria-invalid': field?.invalid || undefined,
  }
}

/** The id of the surrounding field's label, for controls that are named by `aria-labelledby`. */
export function useFieldLabelId(): string | undefined {
  return useContext(FieldContext)?.labelId
}
