import { Search } from 'lucide-react'
import { IconButton } from '../ui/Button.tsx'
import { palette, paletteKeys } from './palette.ts'

const open = () => palette.setOpen(true)

/** Opens "Find anything" and shows its keyboard shortcut. */
export function FindButton() {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={open}
      className="flex h-8 w-full items-center gap-2.5 rounded-control border border-line px-2.5 text-left text-dense text-ink-2 hover:border-line-control hover:bg-hover hover:text-ink"
    >
      <Search size={15} strokeWidth={1.6} aria-hidden className="flex-none" />
      <span className="flex-1">Find...</span>
      <span aria-hidden="true" className="text-chart text-ink-3">
        {paletteKeys()}
      </span>
    </button>
  )
}

/** The same in the top bar on phones. */
export function FindIconButton() {
  return (
    <IconButton
      label="Find..."
      icon={<Search size={18} strokeWidth={1.6} aria-hidden />}
      aria-haspopup="dialog"
      onClick={open}
      className="size-11!"
    />
  )
}
