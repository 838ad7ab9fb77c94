import { lazy, Suspense } from 'react'
import type { ComboboxProps } from './ComboboxBox.tsx'
import { TextInput } from './Field.tsx'

const ComboboxBox = lazy(async () => ({ default: (await import('./ComboboxBox.tsx')).ComboboxBox }))

/** A text field with matching choices, for long lists. */
export function Combobox(props: ComboboxProps) {
  const { text, onTextChange, placeholder } = props
  return (
    <Suspense
      fallback={
        <TextInput
          value={text}
          onChange={(event) => onTextChange(event.target.value)}
          placeholder={placeholder}
        />
      }
    >
      <ComboboxBox {...props} />
    </Suspense>
  )
}
