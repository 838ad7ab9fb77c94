import { CopyButton } from './CopyButton.tsx'

interface CopyLineProps {
  text: string
  /** Names what is copied: `Copy ID`. */
  label: string
}

/** A text that one would compare by character, such as an id, with the button that copies it. */
export function CopyLine({ text, label }: CopyLineProps) {
  return (
    <>
      <span className="mono min-w-0">{text}</span>
      <CopyButton
        text={text}
        label={label}
        success="Copied to clipboard!"
        failure="Failed to copy to clipboard."
        className="-my-1"
      />
    </>
  )
}
