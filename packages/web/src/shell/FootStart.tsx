import type { ReactNode } from 'react'
import { FormNote } from '../ui/FormNote.tsx'

interface FootStartProps {
  note: string | undefined
  /** Shows what the form would create as text. */
  asText: ReactNode
}

/** Of a form that can be shown as text: the note is above the buttons, as there is no room beside all of them. */
export function FootStart({ note, asText }: FootStartProps) {
  return (
    <>
      {/* It stays where it is when it is empty, or what comes into it would not be read out. */}
      <div className={note ? 'w-full' : 'absolute'}>
        <FormNote>{note}</FormNote>
      </div>
      {asText}
      <span className="flex-1 phone:hidden" />
    </>
  )
}
