import { Autocomplete } from '@base-ui/react/autocomplete'
import type { ReactNode } from 'react'
import { cx } from '../../ui/cx.ts'
import { Status } from '../../ui/Status.tsx'
import { markedParts, type PaletteItem } from './palette-items.ts'

interface PaletteRowProps {
  item: PaletteItem
  typed: string
  onOpen: (item: PaletteItem) => void
}

/** Something one can choose, with what was typed marked in it. */
export function PaletteRow({ item, typed, onOpen }: PaletteRowProps) {
  const { label, detail, icon, status, disabledReason } = item
  return (
    <Autocomplete.Item
      value={item}
      disabled={Boolean(disabledReason)}
      data-result={item.isResult || undefined}
      onClick={() => onOpen(item)}
      className={cx(
        'flex min-h-9 cursor-default items-center gap-2.5 rounded-check px-2.5 py-1.5 text-dense outline-none select-none data-[highlighted]:bg-hover phone:min-h-12',
        disabledReason ? 'text-ink-3' : 'text-ink',
      )}
    >
      <span className="flex-none text-ink-2">{icon}</span>
      <span className="min-w-0 flex-1 wrap-anywhere">
        <bdi className={status !== undefined ? 'font-[550]' : ''}>
          {markedParts(label, typed).map(({ text, marked }, index) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other identity
            marked ? <Marked key={index}>{text}</Marked> : text,
          )}
        </bdi>
        {detail && (
          <span className="ml-2 text-label text-ink-3" dir="auto">
            {detail}
          </span>
        )}
      </span>
      {status && <Status word={status} className="flex-none text-hint! font-normal! text-ink-2" />}
    </Autocomplete.Item>
  )
}

const Marked = ({ children }: { children: ReactNode }) => (
  <mark className="bg-transparent text-accent underline decoration-1 underline-offset-3">{children}</mark>
)
