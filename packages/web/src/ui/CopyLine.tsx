import { CopyButton } from './CopyButton.tsx'

interface CopyLineProps {
  text: string
  /** Says what is copied: `Copy ID`. */
  label: string
}

/** An id or another text that is compared by character, with a copy button. */
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
