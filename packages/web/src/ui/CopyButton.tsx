import { Copy } from 'lucide-react'
import { copyText } from './clipboard.ts'
import { cx } from './cx.ts'
import { toast } from './toast.tsx'

interface CopyButtonProps {
  text: string | (() => string)
  /** Says what is copied: `Copy IP address`. */
  label: string
  /** Toast texts. */
  success: string
  failure: string
  /** Shown before the icon when the button copies something other than the text beside it. Part of the label. */
  caption?: string
  className?: string
}

/** Placed right beside the text that it copies. */
export function CopyButton({ text, label, success, failure, caption, className }: CopyButtonProps) {
  const copy = async () => {
    if (await copyText(typeof text === 'string' ? text : text())) toast.success(success)
    else toast.error(failure)
  }
  return (
    <button
      type="button"
      aria-label={label}
      onClick={() => void copy()}
      className={cx(
        'flex h-6 min-w-6 flex-none items-center justify-center gap-1 rounded-check text-ink-3 hover:bg-hover hover:text-ink phone:h-9 phone:min-w-9',
        caption && 'px-1.5 text-hint',
        className,
      )}
    >
      {caption}
      <Copy size={14} strokeWidth={1.6} aria-hidden />
    </button>
  )
}
