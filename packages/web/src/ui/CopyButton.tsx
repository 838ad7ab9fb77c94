import { Copy } from 'lucide-react'
import { copyText } from './clipboard.ts'
import { cx } from './cx.ts'
import { toast } from './toast.tsx'

interface CopyButtonProps {
  text: string | (() => string)
  /** Names what is copied: `Copy IP address`. */
  label: string
  /** Toast texts. */
  success: string
  failure: string
  className?: string
}

/** Stands right beside the text that it copies. */
export function CopyButton({ text, label, success, failure, className }: CopyButtonProps) {
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
        'grid size-6 flex-none place-items-center rounded-check text-ink-3 hover:bg-hover hover:text-ink phone:size-9',
        className,
      )}
    >
      <Copy size={14} strokeWidth={1.6} aria-hidden />
    </button>
  )
}
