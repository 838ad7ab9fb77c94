import type { ComponentPropsWithRef } from 'react'
import { TextInput } from './Field.tsx'

type NumberInputProps = Omit<ComponentPropsWithRef<'input'>, 'type' | 'value' | 'onChange'> & {
  value: number
  onValueChange: (value: number) => void
  /** Replaces what is not a number, selected, so that the next digit replaces it in turn. */
  fallback: number
}

/** A number with the browser's own arrows. The form checks whether it is between `min` and `max`. */
export function NumberInput({ value, onValueChange, fallback, ...rest }: NumberInputProps) {
  return (
    <TextInput
      {...rest}
      type="number"
      inputMode="numeric"
      value={value}
      onChange={({ target }) => {
        if (Number.isFinite(target.valueAsNumber)) {
          onValueChange(target.valueAsNumber)
          return
        }
        onValueChange(fallback)
        // Once React has written it.
        queueMicrotask(() => target.select())
      }}
    />
  )
}
