import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { type SearchHit, searchLimit } from '@slipway/contract'
import { Search, X } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { errorText } from '../../api/errors.ts'
import { useSession } from '../../api/session.ts'
import { Arc } from '../../ui/Arc.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { PaletteRow } from './PaletteRow.tsx'
import {
  filled,
  hitsByKind,
  hitsOf,
  isMeant,
  mustWait,
  type PaletteGroup,
  type PaletteItem,
} from './palette-items.ts'
import { recentPicks } from './recent-picks.ts'
import { useCommands } from './use-commands.tsx'
import { useFound } from './use-found.ts'
import { kindWords, useHitItems } from './use-hit-items.tsx'

interface FinderProps {
  inputRef: RefObject<HTMLInputElement | null>
  /** Offered before all else: what one can do where one is. */
  first: PaletteGroup | undefined
  onDone: () => void
}

/** The field and what it finds: commands of the console and objects of the user. */
export function Finder({ inputRef, first, onDone }: FinderProps) {
  const [typed, setTyped] = useState('')
  const text = typed.trim()
  const { found, searching, error, retry } = useFound(text)
  const hits = hitsOf(text, found)
  const groups = useGroups(text, first, hits)
  const enter = useEnter(text, searching)
  const open = (item: PaletteItem) => {
    if (item.disabledReason) return
    onDone()
    item.run()
  }

  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      autoHighlight="always"
      keepHighlight
      items={groups}
      value={typed}
      onValueChange={(next, { reason }) => reason !== 'item-press' && setTyped(next)}
      itemToStringValue={(item: PaletteItem) => item.label}
    >
      <Autocomplete.InputGroup className="flex flex-none items-center gap-2.5 border-b border-line pr-2 pl-4">
        {searching ? (
          <Arc size={16} className="text-busy-mark" />
        ) : (
          <Search size={16} strokeWidth={1.6} aria-hidden className="flex-none text-ink-3" />
        )}
        <Autocomplete.Input
          ref={inputRef}
          aria-label="Find anything"
          placeholder="Find a VM, disk, page or action"
          spellCheck={false}
          dir="auto"
          onKeyDown={(event) => {
            if (enter.isHeld(event)) event.preventBaseUIHandler()
          }}
          className="h-12 min-w-0 flex-1 bg-transparent text-card font-normal! outline-none placeholder:text-ink-3 phone:h-14 phone:text-field"
        />
        <Dialog.Close
          render={<IconButton label="Close" icon={<X size={16} strokeWidth={1.6} aria-hidden />} />}
        />
      </Autocomplete.InputGroup>
      <Autocomplete.List
        ref={enter.list}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain py-1.5 [scroll-padding-block:2rem] empty:hidden"
      >
        {(group: PaletteGroup) => (
          <Autocomplete.Group key={group.label} items={group.items} className="px-1.5 pb-1.5">
            <Autocomplete.GroupLabel className="truncate px-2.5 pt-1.5 pb-1 text-[.75rem]/4 font-medium text-ink-3">
              {group.label}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: PaletteItem) => <PaletteRow key={item.key} item={item} typed={text} onOpen={open} />}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
      {groups.length === 0 && !error && (
        <p className="flex-none px-4 py-5 wrap-anywhere text-ink-2">
          {searching ? 'Searching...' : <>Nothing matches "{text}".</>}
        </p>
      )}
      <footer className="flex min-h-9 flex-none flex-wrap items-center gap-x-3.5 gap-y-1 border-t border-line px-4 py-1.5 text-label text-ink-3">
        {error ? (
          <p role="alert" className="flex flex-wrap items-center gap-x-3 text-bad">
            {errorText(error, 'The search failed.')}
            <Button size="sm" onClick={retry}>
              Try Again
            </Button>
          </p>
        ) : (
          <p role="status" className="flex-1">
            {searching ? '' : countText(hits.length)}
          </p>
        )}
        <span aria-hidden="true" className="ml-auto flex gap-3.5 phone:hidden">
          <Hint keys="↑↓">choose</Hint>
          <Hint keys="Enter">open</Hint>
          <Hint keys="Esc">close</Hint>
        </span>
      </footer>
    </Autocomplete.Root>
  )
}

/** What is offered: recent objects and all commands at first, then what the text means. */
function useGroups(
  text: string,
  first: PaletteGroup | undefined,
  hits: readonly SearchHit[],
): PaletteGroup[] {
  const commands = useCommands()
  const itemOf = useHitItems()
  const { user } = useSession()
  const [recent] = useState(() => (user ? recentPicks(user.id) : []))
  return useMemo(() => {
    const own = first ? [first] : []
    if (text === '') {
      const possible = own.map((group) => ({
        ...group,
        items: group.items.filter(({ disabledReason }) => !disabledReason),
      }))
      return filled([
        { label: 'Recent', items: recent.map((hit) => itemOf(hit, 'recent')) },
        ...possible,
        ...commands,
      ])
    }
    return filled([
      ...[...own, ...commands].map(({ label, items }) => ({
        label,
        items: items.filter((item) => isMeant(item, text)),
      })),
      ...hitsByKind(hits).map(([kind, found]) => ({
        label: kindWords[kind],
        items: found.map((hit) => itemOf(hit, 'hit')),
      })),
    ])
  }, [text, first, commands, hits, recent, itemOf])
}

/**
 * When Enter opens something: not while composing, when it belongs to the input method, and not before the results
 * are those of the text. An Enter that came too early is made good when they are there.
 */
function useEnter(text: string, searching: boolean) {
  const list = useRef<HTMLDivElement>(null)
  const highlighted = () =>
    list.current?.querySelector<HTMLElement>('[role=option][data-highlighted]') ?? null
  const [asked, setAsked] = useState<string | null>(null)
  useEffect(() => {
    if (asked === null || (asked === text && searching)) return
    setAsked(null)
    // Another text is another question. The list highlights its first entry once it is drawn.
    if (asked === text) setTimeout(() => highlighted()?.click())
  })
  return {
    list,
    isHeld: ({ key, nativeEvent }: KeyboardEvent) => {
      if (key !== 'Enter') return false
      // Safari ends a composition before the Enter that ended it; its code still says so.
      if (nativeEvent.isComposing || nativeEvent.keyCode === 229) return true
      const entry = highlighted()
      if (!mustWait(entry && { isResult: entry.dataset.result !== undefined }, searching)) return false
      setAsked(text)
      return true
    },
  }
}

function countText(found: number): string {
  if (found === 0) return ''
  if (found >= searchLimit) return `The first ${searchLimit} results. Type more to narrow them down.`
  return `${found} ${found === 1 ? 'object' : 'objects'} found`
}

function Hint({ keys, children }: { keys: string; children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <kbd className="rounded-check border border-line px-1 text-chart text-ink-2">{keys}</kbd>
      {children}
    </span>
  )
}
