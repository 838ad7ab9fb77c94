import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { IconButton } from '../../ui/Button.tsx'
import type { Terminal } from './use-terminal.ts'

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

/** Searches the text of the terminal, upwards from the newest line. */
export function SearchBar({ terminal, onClose }: { terminal: Terminal; onClose: () => void }) {
  const [text, setText] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const previous = () => terminal.get()?.findPrevious(text)
  const next = () => terminal.get()?.findNext(text)
  return (
    <search className="flex flex-none items-center gap-1 border-b border-line py-1 pr-1.5 pl-3">
      <input
        ref={field}
        type="search"
        aria-label="Search the console"
        placeholder="Search"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          if (target.value) terminal.get()?.findPrevious(target.value)
          else terminal.get()?.endSearch()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose()
          if (event.key === 'Enter') event.shiftKey ? next() : previous()
        }}
        className="field h-7! min-w-0 flex-1 px-2! text-hint! phone:h-9! phone:text-field!"
      />
      <span role="status" className="min-w-20 px-2 text-right text-hint whitespace-nowrap text-ink-3">
        {text && countText(terminal.found)}
      </span>
      <IconButton
        size="sm"
        label="Previous result"
        icon={<ChevronUp {...icon} />}
        disabled={!text}
        onClick={previous}
      />
      <IconButton
        size="sm"
        label="Next result"
        icon={<ChevronDown {...icon} />}
        disabled={!text}
        onClick={next}
      />
      <IconButton size="sm" label="Close search" icon={<X {...icon} />} onClick={onClose} />
    </search>
  )
}

function countText(found: Terminal['found']): string {
  if (!found) return ''
  if (found.count === 0) return 'Not found'
  return found.index < 0 ? `${found.count} results` : `${found.index + 1} of ${found.count}`
}
