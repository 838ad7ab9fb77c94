import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { type SearchHit, searchLimit, type Vm } from '@slipway/contract'
import { Copy, FolderKanban, HardDrive, LayoutTemplate, Scaling, Search, Server, X } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useMatch, useNavigate } from 'react-router'
import { errorText } from '../../api/errors.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { useSearch } from '../../api/search.ts'
import { useSession } from '../../api/session.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { Arc } from '../../ui/Arc.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Status } from '../../ui/Status.tsx'
import { useVmActions } from '../vm/vm-actions.tsx'
import {
  filled,
  hitsByKind,
  isMeant,
  markedParts,
  type PaletteGroup,
  type PaletteItem,
} from './palette-items.ts'
import { keepPick, recentPicks } from './recent-picks.ts'
import { useCommands, vmCommands } from './use-commands.tsx'

interface PaletteProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Find anything: a field over everything one has and can do, worked by keys alone. */
export function Palette(props: PaletteProps) {
  const { projectId, vmId } = useMatch('/projects/:projectId/vms/:vmId/*')?.params ?? {}
  const { vms } = useVms(projectId)
  const vm = vms.find(({ id }) => id === vmId)
  return vm ? <PaletteAtVm key={vm.id} {...props} vm={vm} /> : <PaletteDialog {...props} />
}

function PaletteAtVm({ vm, ...props }: PaletteProps & { vm: Vm }) {
  const navigate = useNavigate()
  const actions = useVmActions(vm)
  return <PaletteDialog {...props} first={vmCommands(vm, actions, navigate)} />
}

/** A pause in the typing that is long enough to ask the server. */
const pauseMs = 120

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  // Nothing is known of an empty text, and nothing has to be asked.
  return text === '' ? '' : paused
}

function PaletteDialog({ open, onOpenChange, first }: PaletteProps & { first?: PaletteGroup }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-scrim transition-opacity duration-120 data-[ending-style]:opacity-0 data-[starting-style]:opacity-0" />
        <Dialog.Viewport className="fixed inset-0 z-30 flex items-start justify-center overflow-hidden px-4 pt-[12vh] pb-4 phone:p-0">
          <Dialog.Popup
            initialFocus={input}
            className={cx(
              'flex max-h-[min(34rem,80vh)] w-full max-w-150 flex-col overflow-hidden rounded-dialog border border-line bg-raised shadow-lift outline-none',
              'transition-[opacity,translate] duration-120 ease-out data-[ending-style]:opacity-0 data-[starting-style]:-translate-y-1 data-[starting-style]:opacity-0',
              'phone:h-dvh phone:max-h-none phone:max-w-none phone:rounded-none phone:border-0',
            )}
          >
            <Dialog.Title className="sr-only">Find anything</Dialog.Title>
            <Finder inputRef={input} first={first} onDone={() => onOpenChange(false)} />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface FinderProps {
  inputRef: React.RefObject<HTMLInputElement | null>
  /** Offered before all else: what one can do where one is. */
  first: PaletteGroup | undefined
  onDone: () => void
}

function Finder({ inputRef, first, onDone }: FinderProps) {
  const [typed, setTyped] = useState('')
  const text = typed.trim()
  const asked = usePaused(text)
  const search = useSearch(asked)
  const hits = text === '' ? none : (search.data ?? none)
  const searching = text !== '' && !search.isError && (text !== asked || search.isFetching)
  const commands = useCommands()
  const itemOf = useHitItems()
  const [recent] = useRecent()

  const groups = useMemo(() => {
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
          className="h-12 min-w-0 flex-1 bg-transparent text-card font-normal! outline-none placeholder:text-ink-3 phone:h-14 phone:text-field"
        />
        <Dialog.Close
          render={<IconButton label="Close" icon={<X size={16} strokeWidth={1.6} aria-hidden />} />}
        />
      </Autocomplete.InputGroup>
      <Autocomplete.List className="min-h-0 flex-1 overflow-y-auto overscroll-contain py-1.5 [scroll-padding-block:2rem] empty:hidden">
        {(group: PaletteGroup) => (
          <Autocomplete.Group key={group.label} items={group.items} className="px-1.5 pb-1.5">
            <Autocomplete.GroupLabel className="truncate px-2.5 pt-1.5 pb-1 text-[.75rem]/4 font-medium text-ink-3">
              {group.label}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: PaletteItem) => <Row key={item.key} item={item} typed={text} onDone={onDone} />}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
      {groups.length === 0 && !search.isError && (
        <p className="flex-none px-4 py-5 wrap-anywhere text-ink-2">
          {searching ? 'Searching...' : <>Nothing matches "{text}".</>}
        </p>
      )}
      <footer className="flex min-h-9 flex-none flex-wrap items-center gap-x-3.5 gap-y-1 border-t border-line px-4 py-1.5 text-label text-ink-3">
        {text !== '' && search.isError ? (
          <p role="alert" className="flex flex-wrap items-center gap-x-3 text-bad">
            {errorText(search.error, 'The search failed.')}
            <Button size="sm" onClick={() => void search.refetch()}>
              Try Again
            </Button>
          </p>
        ) : (
          <p role="status" className="flex-1">
            {countText(text, searching, hits.length)}
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

const none: SearchHit[] = []

function countText(text: string, searching: boolean, found: number): string {
  if (text === '' || searching || found === 0) return ''
  if (found >= searchLimit) return `The first ${searchLimit} finds. Type more to see others.`
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

interface RowProps {
  item: PaletteItem
  typed: string
  onDone: () => void
}

function Row({ item, typed, onDone }: RowProps) {
  const { label, detail, icon, status, disabledReason, run } = item
  return (
    <Autocomplete.Item
      value={item}
      disabled={Boolean(disabledReason)}
      onClick={() => {
        onDone()
        run()
      }}
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

const kindWords: Record<SearchHit['kind'], string> = {
  project: 'Projects',
  vm: 'VMs',
  vm_pool: 'VM pools',
  vm_set: 'VM sets',
  disk: 'Disks',
  template: 'Templates',
}

const sign = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const
const kindIcons: Record<SearchHit['kind'], ReactNode> = {
  project: <FolderKanban {...sign} />,
  vm: <Server {...sign} />,
  vm_pool: <Scaling {...sign} />,
  vm_set: <Copy {...sign} />,
  disk: <HardDrive {...sign} />,
  template: <LayoutTemplate {...sign} />,
}

function pathOf({ kind, id, project_id }: SearchHit): string {
  const projectId = project_id ?? ''
  switch (kind) {
    case 'project':
      return paths.vms(id)
    case 'vm':
      return paths.vm(projectId, id)
    case 'vm_pool':
      return paths.vmPool(projectId, id)
    case 'vm_set':
      return paths.vmSet(projectId, id)
    case 'disk':
      return paths.disk(projectId, id)
    case 'template':
      return paths.create(id)
  }
}

function useRecent() {
  const { user } = useSession()
  return useState(() => (user ? recentPicks(user.id) : none))
}

/** How a find is offered; choosing it goes there and keeps it as a recent one. */
function useHitItems() {
  const navigate = useNavigate()
  const { user } = useSession()
  const { project } = useSelectedProject()
  const userId = user?.id
  const projectId = project?.id
  return useMemo(
    () =>
      (hit: SearchHit, from: 'recent' | 'hit'): PaletteItem => ({
        key: `${from} ${hit.kind} ${hit.id}`,
        label: hit.name,
        detail:
          hit.kind !== 'project' && hit.project_id !== projectId
            ? (hit.project_name ?? undefined)
            : undefined,
        icon: kindIcons[hit.kind],
        status: hit.status ?? undefined,
        run: () => {
          if (userId) keepPick(userId, hit)
          void navigate(pathOf(hit))
        },
      }),
    [navigate, userId, projectId],
  )
}
