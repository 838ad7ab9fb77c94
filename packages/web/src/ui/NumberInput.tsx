import type { ComponentPropsWithRef } from 'react'
import { TextInput } from './Field.tsx'

type NumberInputProps = Omit<ComponentPropsWithRef<'input'>, 'type' | 'value' | 'onChange'> & {
  value: number
  onValueChange: (value: number) => void
  /** Takes the place of what is not a number, at once and selected: the next digit replaces it. */
  fallback: number
}

/** A number with the browser's own arrows. Whether it lies between `min` and `max` is for the form to say. */
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
