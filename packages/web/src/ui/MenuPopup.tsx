import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { cx } from './cx.ts'

export type MenuEntry =
  | {
      label: ReactNode
      /** Stable key where the label is not a string. */
      key?: string
      icon?: ReactNode
      onSelect?: () => void
      /** A link instead of an action. */
      render?: ReactElement
      danger?: boolean
      /** Why the entry is disabled; shown below it. */
      disabledReason?: string | undefined
      /** Marks the chosen one of several. */
      current?: boolean
    }
  | {
      /** One of several; the menu stays open, so that the effect can be seen. */
      choice: string
      value: string
      options: readonly { value: string; label: string }[]
      onValueChange: (value: string) => void
    }
  | {
      /** A quiet fact between the entries. */
      note: string
      detail?: string | null
    }
  | 'separator'

export interface MenuContent {
  /** Accessible name of the menu. */
  label: string
  items: readonly MenuEntry[]
  /** As wide as its trigger. */
  fitTrigger?: boolean
  align?: 'start' | 'end'
  side?: 'top' | 'bottom'
}

interface MenuPopupProps extends MenuContent {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** The trigger: the menu is placed beside it, and the focus returns to it. */
  anchor: RefObject<HTMLButtonElement | null>
  /** Opened by a key: the first entry is then the current one. */
  byKeyboard: boolean
}

const itemClass = cx(
  'flex min-h-8 w-full cursor-default items-start gap-2.5 rounded-check px-2.5 py-1.5 text-dense no-underline outline-none select-none phone:min-h-11 phone:py-3',
  'data-[highlighted]:bg-hover',
)

export function MenuPopup({
  label,
  items,
  fitTrigger = false,
  align = 'end',
  side = 'bottom',
  open,
  onOpenChange,
  anchor,
  byKeyboard,
}: MenuPopupProps) {
  const atFirst = useRef(false)
  useEffect(() => {
    if (!open) atFirst.current = false
  }, [open])
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Positioner
          anchor={anchor}
          side={side}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-40"
        >
          <Base.Popup
            aria-label={label}
            finalFocus={anchor}
            onFocus={({ target, currentTarget }) => {
              if (!byKeyboard || atFirst.current || target !== currentTarget) return
              atFirst.current = true
              currentTarget.querySelector<HTMLElement>('[role^="menuitem"]')?.focus()
            }}
            className={cx(
              'max-h-[var(--available-height)] overflow-y-auto rounded-sheet border border-line bg-raised p-1 shadow-lift outline-none',
              fitTrigger
                ? 'w-[var(--anchor-width)] min-w-50'
                : 'max-w-[min(20rem,var(--available-width))] min-w-45',
              'transition-[opacity,translate] duration-160 ease-out data-[ending-style]:opacity-0 data-[starting-style]:-translate-y-1 data-[starting-style]:opacity-0',
            )}
          >
            {items.map((item, index) => {
              if (item === 'separator') {
                // biome-ignore lint/suspicious/noArrayIndexKey: separators have no identity, and the list is static.
                return <Base.Separator key={`separator-${index}`} className="-mx-1 my-1 h-px bg-line" />
              }
              if ('note' in item) return <Note key={item.note} {...item} />
              if ('choice' in item) return <Choice key={item.choice} {...item} />
              const key = item.key ?? (typeof item.label === 'string' ? item.label : index)
              const content = (
                <>
                  {item.icon && (
                    <span className="mt-0.5 flex-none text-ink-2 [.text-bad_&]:text-bad">{item.icon}</span>
                  )}
                  <span className="min-w-0 flex-1 wrap-anywhere">
                    {item.label}
                    {item.disabledReason && (
                      <span className="block text-label font-normal text-ink-3">{item.disabledReason}</span>
                    )}
                  </span>
                </>
              )
              return item.render && !item.disabledReason ? (
                <Base.LinkItem
                  key={key}
                  render={item.render}
                  closeOnClick
                  aria-current={item.current || undefined}
                  className={cx(itemClass, 'text-ink')}
                >
                  {content}
                </Base.LinkItem>
              ) : (
                <Base.Item
                  key={key}
                  disabled={Boolean(item.disabledReason)}
                  aria-current={item.current || undefined}
                  onClick={() => item.onSelect?.()}
                  className={cx(
                    itemClass,
                    item.disabledReason ? 'text-ink-3' : item.danger ? 'text-bad' : 'text-ink',
                    item.current && 'font-[550]',
                  )}
                >
                  {content}
                </Base.Item>
              )
            })}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function Note({ note, detail }: { note: string; detail?: string | null }) {
  return (
    <div className="px-2.5 py-1.5 text-dense wrap-anywhere">
      <p className="font-[550]">{note}</p>
      {detail && <p className="text-label text-ink-3">{detail}</p>}
    </div>
  )
}

function Choice({ choice, value, options, onValueChange }: Extract<MenuEntry, { choice: string }>) {
  return (
    <Base.Group>
      <Base.GroupLabel className="px-2.5 pt-1.5 pb-0.5 text-label text-ink-3">{choice}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={onValueChange}>
        {options.map((option) => (
          <Base.RadioItem key={option.value} value={option.value} className={itemClass}>
            <span className="mt-0.5 size-4 flex-none text-accent">
              {option.value === value && <Check size={16} strokeWidth={1.8} aria-hidden />}
            </span>
            {option.label}
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  )
}
