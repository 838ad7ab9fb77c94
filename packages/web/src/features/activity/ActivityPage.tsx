import { activityKinds, activityObjects } from '@slipway/contract'
import { Webhook, X } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { Link, useParams } from 'react-router'
import { useMay } from '../../api/access.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { type ListState, noListState } from '../../shell/list-state.ts'
import { useListState } from '../../shell/use-list-state.ts'
import { Button } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Select } from '../../ui/Select.tsx'
import { ActivityList } from './ActivityList.tsx'
import { activitySpec, filterOf, isFiltered } from './activity-filter.ts'
import { kindWords, objectWords } from './activity-words.ts'
import { useActivity } from './use-activity.ts'

export function Component() {
  const { projectId = '' } = useParams()
  const may = useMay()
  const [state, change] = useListState(activitySpec)
  const filter = useMemo(() => filterOf(state), [state])
  const source = useMemo(() => ({ projectId, filter }), [projectId, filter])
  const activity = useActivity(source)
  return (
    <>
      <PageHeader
        title="Activity"
        description="What happened in this project, who did it and why."
        actions={
          <Button
            icon={<Webhook size={16} strokeWidth={1.6} aria-hidden />}
            disabledReason={reasonOf(may('webhook.list'))}
            render={<Link to={paths.webhooks(projectId)} />}
          >
            Webhooks
          </Button>
        }
      />
      <Filters
        projectId={projectId}
        state={state}
        onChange={change}
        nameOf={(id) => activity.entries.find(({ object }) => object.id === id)?.object.name}
      />
      <ActivityList
        activity={activity}
        projectId={projectId}
        filtered={isFiltered(filter)}
        none="Everything that is created, started, changed or fails in this project appears here."
      />
    </>
  )
}

const choices = [
  {
    label: 'Kind',
    name: 'kind',
    options: [
      { value: 'all', label: 'All kinds' },
      ...activityKinds.map((value) => ({ value, label: kindWords[value] })),
    ],
  },
  {
    label: 'Object',
    name: 'type',
    options: [
      { value: 'all', label: 'All objects' },
      ...activityObjects.map((value) => ({ value, label: objectWords[value] })),
    ],
  },
  {
    label: 'By',
    name: 'by',
    options: [
      { value: 'all', label: 'Anyone' },
      { value: 'user', label: 'People' },
      { value: 'system', label: 'Slipway' },
    ],
  },
] as const

type FilterState = ListState<typeof activitySpec>

interface FiltersProps {
  projectId: string
  state: FilterState
  onChange: (change: Partial<FilterState>) => void
  nameOf: (objectId: string) => string | undefined
}

function Filters({ projectId, state, onChange, nameOf }: FiltersProps) {
  const { vms } = useVms(projectId)
  const bar = useRef<HTMLElement>(null)
  const { object: object_id } = state
  const objectName =
    object_id && (vms.find(({ id }) => id === object_id)?.name ?? nameOf(object_id) ?? object_id)
  return (
    <search ref={bar} tabIndex={-1} className="mb-4 flex flex-wrap items-center gap-2 outline-none md:gap-3">
      {choices.map(({ label, name, options }) => (
        <div key={name} className="min-w-32 flex-1 md:max-w-44 md:flex-none md:basis-40">
          <Select
            label={label}
            value={state[name]}
            onValueChange={(value) => onChange({ [name]: value })}
            options={options}
          />
        </div>
      ))}
      {objectName && (
        <span className="flex h-9 min-w-0 items-center gap-1 rounded-control border border-line bg-sheet pr-1 pl-2.5 text-dense">
          <span className="truncate">
            Only <bdi className="font-medium">{objectName}</bdi>
          </span>
          <button
            type="button"
            aria-label={`Remove the filter ${objectName}`}
            onClick={() => {
              onChange({ object: '' })
              bar.current?.focus()
            }}
            className="grid size-7 flex-none place-items-center rounded-check text-ink-3 hover:bg-hover hover:text-ink"
          >
            <X size={14} strokeWidth={1.6} aria-hidden />
          </button>
        </span>
      )}
      {isFiltered(filterOf(state)) && (
        <Button
          variant="quiet"
          icon={<X size={16} strokeWidth={1.6} aria-hidden />}
          onClick={() => {
            onChange(noListState(activitySpec))
            // The button disappears together with the filter.
            bar.current?.focus()
          }}
        >
          Clear Filters
        </Button>
      )}
    </search>
  )
}
