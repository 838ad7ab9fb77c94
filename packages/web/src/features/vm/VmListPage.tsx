import { summarizeVms, type Vm } from '@slipway/contract'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { Plus, Search, X } from 'lucide-react'
import { memo, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Link, useParams } from 'react-router'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { formatClock } from '../../time.ts'
import { Arc } from '../../ui/Arc.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { TextInput } from '../../ui/Field.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { StatStrip } from '../../ui/Sheet.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import { useAnnouncedChanges } from './use-announced-changes.ts'
import { VmCard, VmCardOutline } from './VmCard.tsx'
import { matchesVm } from './vm-search.ts'

/** From this many VMs on there is a search box. */
const searchFrom = 10

export function Component() {
  const { projectId } = useParams()
  const { vms, loading, updatedAt, polling } = useVms(projectId)
  useAnnouncedChanges(vms)
  const [search, setSearch] = useState('')
  const shownSearch = useDeferredValue(search)
  const shown = useMemo(() => vms.filter((vm) => matchesVm(vm, shownSearch)), [vms, shownSearch])

  const create = (variant: 'primary' | 'secondary') => (
    <Button
      variant={variant}
      icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
      render={<Link to={paths.templates} />}
    >
      Create VM
    </Button>
  )
  const empty = !loading && vms.length === 0

  return (
    <>
      <PageHeader
        title="Virtual Machines"
        meta={
          <>
            {polling && (
              <span className="flex items-center gap-1.5">
                <Arc className="text-busy-mark" />
                Auto-refresh every 5 s
              </span>
            )}
            {updatedAt > 0 && (
              <span>
                Last updated <time className="mono ml-0.5">{formatClock(updatedAt)}</time>
              </span>
            )}
          </>
        }
        actions={create(empty ? 'secondary' : 'primary')}
      />
      {loading && <LoadingState text="Loading VMs..." outline="cards" />}
      {empty && (
        <EmptyState title="No Virtual Machines Yet" action={create('primary')}>
          A VM is a machine of your own with root access over SSH. Choose a template to create one.
        </EmptyState>
      )}
      {vms.length > 0 && (
        <>
          <Totals vms={vms} />
          {(vms.length >= searchFrom || search) && (
            <SearchBar value={search} onChange={setSearch} shown={shown.length} total={vms.length} />
          )}
          {shown.length > 0 ? (
            <VmGrid vms={shown} />
          ) : (
            <p className="py-8 text-ink-2 wrap-anywhere">No VM matches "{shownSearch.trim()}".</p>
          )}
        </>
      )}
    </>
  )
}

const Totals = memo(function Totals({ vms }: { vms: Vm[] }) {
  const { total, running, stopped, starting } = summarizeVms(vms)
  return (
    <StatStrip
      label="Virtual machines by status"
      className="mb-6"
      items={[
        { label: 'Total', value: total },
        { label: 'Running', value: running, glyph: <StatusGlyph word="running" /> },
        { label: 'Stopped', value: stopped, glyph: <StatusGlyph word="stopped" /> },
        ...(starting > 0
          ? [{ label: 'Provisioning', value: starting, glyph: <StatusGlyph word="provisioning" /> }]
          : []),
      ]}
    />
  )
})

interface SearchBarProps {
  value: string
  onChange: (value: string) => void
  shown: number
  total: number
}

function SearchBar({ value, onChange, shown, total }: SearchBarProps) {
  return (
    <search className="mb-3.5 flex flex-wrap items-center gap-x-3 gap-y-2">
      <div className="relative w-full md:max-w-105">
        <Search
          size={16}
          strokeWidth={1.6}
          aria-hidden
          className="pointer-events-none absolute inset-y-0 left-2.5 my-auto text-ink-3"
        />
        <TextInput
          type="search"
          aria-label="Search VMs"
          placeholder="Search by name, template, address or status"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className="pl-8.5! [&::-webkit-search-cancel-button]:hidden"
        />
      </div>
      {value && (
        <Button
          variant="quiet"
          icon={<X size={16} strokeWidth={1.6} aria-hidden />}
          onClick={() => onChange('')}
        >
          Clear Filters
        </Button>
      )}
      <p role="status" className="ml-auto text-hint text-ink-3">
        Showing {shown} of {total} VMs
      </p>
    </search>
  )
}

const minCardWidth = 328
const likelyCardHeight = 310

/**
 * Cards in rows, only those near the screen in the document, whatever their number. A card comes as an outline with a
 * name and is drawn in full a moment later, so that neither a jump through thousands nor a search holds up the page.
 */
const VmGrid = memo(function VmGrid({ vms }: { vms: Vm[] }) {
  const grid = useRef<HTMLDivElement>(null)
  const { columns, gap, top } = useGridShape(grid)
  const rows = useWindowVirtualizer({
    count: Math.ceil(vms.length / columns),
    estimateSize: () => likelyCardHeight,
    gap,
    overscan: 2,
    scrollMargin: top,
  })
  // Measured heights belong to other cards once the number of columns changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns are the reason
  useEffect(() => rows.measure(), [columns, rows])
  const items = rows.getVirtualItems().map(({ index, start }) => {
    const first = index * columns
    return { index, start, first, cards: vms.slice(first, first + columns) }
  })
  // What one sees comes before what lies above it.
  const seen = items.filter(({ index }) => index >= (rows.range?.startIndex ?? 0))
  const above = items.slice(0, items.length - seen.length)
  const drawn = useDrawn(
    [...seen, ...above].flatMap(({ cards }) => cards),
    columns,
  )

  return (
    // biome-ignore lint/a11y/useSemanticElements: rows stand between a list and its items here
    <div
      ref={grid}
      role="list"
      aria-label="Virtual machines"
      className="relative"
      style={{ height: rows.getTotalSize() }}
    >
      {items.map(({ index, start, first, cards }) => (
        <div
          key={index}
          // The height of outlines says nothing about the cards that follow.
          ref={cards.every(({ id }) => drawn.has(id)) ? rows.measureElement : undefined}
          data-index={index}
          role="presentation"
          className="absolute inset-x-0 top-0 grid contain-layout"
          style={{
            gap,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            transform: `translateY(${start - top}px)`,
          }}
        >
          {cards.map((vm, column) => (
            // biome-ignore lint/a11y/useSemanticElements: see above
            <div
              key={vm.id}
              role="listitem"
              aria-posinset={first + column + 1}
              aria-setsize={vms.length}
              className="min-w-0"
            >
              {drawn.has(vm.id) ? <VmCard vm={vm} /> : <VmCardOutline vm={vm} height={likelyCardHeight} />}
            </div>
          ))}
        </div>
      ))}
    </div>
  )
})

/** Which of some VMs may be drawn in full: those that were before, and so many more with each frame. */
function useDrawn(vms: Vm[], atOnce: number): ReadonlySet<string> {
  const [drawn, setDrawn] = useState<ReadonlySet<string>>(new Set())
  const complete = vms.every(({ id }) => drawn.has(id))
  useEffect(() => {
    if (complete) return
    const frame = requestAnimationFrame(() => {
      const old = vms.filter(({ id }) => drawn.has(id))
      const next = vms.filter(({ id }) => !drawn.has(id)).slice(0, atOnce)
      setDrawn(new Set([...old, ...next].map(({ id }) => id)))
    })
    return () => cancelAnimationFrame(frame)
  }, [vms, drawn, complete, atOnce])
  return drawn
}

/** How many cards fit side by side, and where the grid begins on the page. */
function useGridShape(grid: React.RefObject<HTMLElement | null>) {
  const [shape, setShape] = useState({ columns: 1, gap: 16, top: 0 })
  useLayoutEffect(() => {
    const element = grid.current
    if (!element) return
    const measure = () => {
      const { width, top } = element.getBoundingClientRect()
      const gap = window.innerWidth < 820 ? 12 : 16
      const next = {
        gap,
        columns: Math.max(1, Math.floor((width + gap) / (minCardWidth + gap))),
        top: Math.round(top + window.scrollY),
      }
      setShape((old) =>
        old.columns === next.columns && old.gap === next.gap && old.top === next.top ? old : next,
      )
    }
    measure()
    // The body as well: what stands above the grid may grow or go.
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [grid])
  return shape
}
