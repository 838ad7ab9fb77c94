import { isFoundIn, routeOf } from '@slipway/contract'
import { Download } from 'lucide-react'
import { memo, useDeferredValue, useMemo } from 'react'
import { Link } from 'react-router'
import { type ApiDocument, useApiDocument } from '../../api/api-reference.ts'
import { apiBase } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { paths } from '../../paths.ts'
import { noListState } from '../../shell/list-state.ts'
import { useListState } from '../../shell/use-list-state.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { FilterBar } from '../../ui/FilterBar.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { accessWords } from './access-words.ts'
import { CallDetails } from './CallDetails.tsx'
import { type ApiCall, type ApiResource, resourcesOf, searchCalls } from './calls.ts'
import { Fold } from './Fold.tsx'
import { Prose } from './Prose.tsx'
import { Fields, type Schemas, TypeText } from './SchemaView.tsx'
import { useOpenRows } from './use-open-rows.ts'

const openApiPath = apiBase + routeOf('host.openApi').path

export function Component() {
  const { data, isPending, error, refetch } = useApiDocument()
  return (
    <>
      <PageHeader
        title="API reference"
        description="Every call of the HTTP API. The console itself uses nothing else."
        actions={
          <Button
            icon={<Download size={16} strokeWidth={1.6} aria-hidden />}
            render={<a href={openApiPath} download="slipway-openapi.json" />}
          >
            Download OpenAPI Document
          </Button>
        }
      />
      {isPending && <LoadingState text="Loading API reference..." outline="rows" />}
      {error && (
        <ErrorState
          title="Error Loading API Reference"
          message={errorText(error, 'Failed to load the API reference. Please try again.')}
          onRetry={() => void refetch()}
        />
      )}
      {data && <Reference document={data} />}
    </>
  )
}

const spec = {
  search: '',
  resource: '',
  access: ['all', 'read', 'write', 'session', 'public', 'operator'],
} as const

function Reference({ document }: { document: ApiDocument }) {
  const [state, change] = useListState(spec)
  const { resource, access } = state
  const search = useDeferredValue(state.search)
  const { schemas } = document.components
  const resources = useMemo(() => resourcesOf(document), [document])
  const found = useMemo(
    () =>
      searchCalls(resources, search)
        .filter(({ name }) => resource === '' || name === resource)
        .map((one) => ({
          ...one,
          calls: one.calls.filter((call) => access === 'all' || call.access === access),
        }))
        .filter(({ calls }) => calls.length > 0),
    [resources, search, resource, access],
  )
  // A resource or an access is one of calls.
  const definitions = useMemo(
    () =>
      resource === '' && access === 'all'
        ? Object.keys(schemas).filter((name) => isFoundIn(search, name))
        : [],
    [schemas, search, resource, access],
  )
  const [open, toggle] = useOpenRows(true)
  return (
    <>
      <FirstSteps />
      <FilterBar
        search={{
          value: state.search,
          onChange: (text) => change({ search: text }),
          label: 'Search the API',
          placeholder: 'Search by name, path or summary',
        }}
        filters={[
          {
            label: 'Resource',
            value: resource === '' ? 'all' : resource,
            onChange: (value) => change({ resource: value === 'all' ? '' : value }),
            options: [
              { value: 'all', label: 'All resources' },
              ...resources.map(({ name, title }) => ({ value: name, label: title })),
            ],
          },
          {
            label: 'Access',
            value: access,
            onChange: (value) => change({ access: value as typeof access }),
            options: [
              { value: 'all', label: 'All access' },
              ...Object.entries(accessWords).map(([value, label]) => ({ value, label })),
            ],
          },
        ]}
        active={state.search !== '' || resource !== '' || access !== 'all'}
        onClear={() => change(noListState(spec))}
        shown={`Showing ${countOf(found)} of ${countOf(resources)} calls`}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        {found.map((one) => (
          <Resource key={one.name} resource={one} schemas={schemas} open={open} onToggle={toggle} />
        ))}
        {definitions.length > 0 && (
          <Definitions names={definitions} schemas={schemas} open={open} onToggle={toggle} />
        )}
        {found.length + definitions.length === 0 && (
          <p className="py-8 text-ink-2 wrap-anywhere">No call matches the search and filters.</p>
        )}
      </div>
    </>
  )
}

const countOf = (resources: readonly ApiResource[]): number =>
  resources.reduce((sum, { calls }) => sum + calls.length, 0)

const origin = apiBase === '' ? window.location.origin : apiBase

/** What every example begins with. */
function FirstSteps() {
  return (
    <section aria-label="First steps" className="mb-5 grid max-w-190 grid-cols-[minmax(0,1fr)] gap-2">
      <p className="text-ink-2">
        Create an API token under{' '}
        <Link className="link" to={paths.account}>
          Your account
        </Link>{' '}
        and keep it in a variable of your shell, which the examples use. Names in capitals, such as{' '}
        <span className="mono">$PROJECT_ID</span>, are variables, too.
      </p>
      <CodeLine
        code="export SLIPWAY_TOKEN='slipway_...'"
        copyLabel="Copy the first command"
        success="Command copied to clipboard!"
        failure="Failed to copy to clipboard."
      />
    </section>
  )
}

interface RowsProps {
  schemas: Schemas
  open: ReadonlySet<string>
  onToggle: (id: string) => void
}

function Resource({ resource, ...rows }: RowsProps & { resource: ApiResource }) {
  const { name, title, description, calls } = resource
  const heading = `resource-${name}`
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading} className="text-section">
        {title}
      </h2>
      <p className="mb-2 max-w-prose text-dense text-ink-2">{description}</p>
      <ul className="sheet divide-y divide-line">
        {calls.map((call) => (
          <CallRow
            key={call.id}
            call={call}
            schemas={rows.schemas}
            open={rows.open.has(call.id)}
            onToggle={rows.onToggle}
          />
        ))}
      </ul>
    </section>
  )
}

interface CallRowProps {
  call: ApiCall
  schemas: Schemas
  open: boolean
  onToggle: (id: string) => void
}

const CallRow = memo(function CallRow({ call, schemas, open, onToggle }: CallRowProps) {
  const { id, method, path, summary, access } = call
  return (
    <li>
      <Fold
        id={id}
        open={open}
        onToggle={() => onToggle(id)}
        summary={
          <span className="grid gap-x-4 gap-y-0.5 md:grid-cols-[minmax(0,1fr)_auto]">
            <span className="flex min-w-0 gap-x-2">
              <span className="mono w-14 flex-none text-ink-2">{method}</span>{' '}
              <span className="mono min-w-0 wrap-anywhere">{path}</span>
            </span>{' '}
            <span className="hidden text-hint text-ink-3 md:block">{accessWords[access]}</span>{' '}
            <span className="text-dense text-ink-2 md:col-span-2">
              <Prose text={summary} />
            </span>
          </span>
        }
      >
        {() => <CallDetails call={call} schemas={schemas} origin={origin} />}
      </Fold>
    </li>
  )
})

function Definitions({ names, schemas, open, onToggle }: RowsProps & { names: readonly string[] }) {
  return (
    <section aria-labelledby="schemas">
      <h2 id="schemas" className="text-section">
        Schemas
      </h2>
      <p className="mb-2 max-w-prose text-dense text-ink-2">
        What bodies and responses are made of. Responses may get more fields in later versions.
      </p>
      <ul className="sheet divide-y divide-line">
        {names.map((name) => (
          <Definition key={name} name={name} schemas={schemas} open={open.has(name)} onToggle={onToggle} />
        ))}
      </ul>
    </section>
  )
}

interface DefinitionProps {
  name: string
  schemas: Schemas
  open: boolean
  onToggle: (id: string) => void
}

const Definition = memo(function Definition({ name, schemas, open, onToggle }: DefinitionProps) {
  const schema = schemas[name] ?? {}
  return (
    <li>
      <Fold
        id={name}
        open={open}
        onToggle={() => onToggle(name)}
        summary={
          <span className="flex flex-wrap gap-x-4">
            <span className="mono wrap-anywhere">{name}</span>{' '}
            <span className="min-w-0 text-dense text-ink-2">
              <Prose text={schema.description ?? ''} />
            </span>
          </span>
        }
      >
        {() => (
          <div className="border-t border-line px-4 py-2 md:pl-10">
            {schema.properties ? (
              <Fields schema={schema} schemas={schemas} />
            ) : (
              <p className="text-dense wrap-anywhere">
                <TypeText schema={schema} />
              </p>
            )}
          </div>
        )}
      </Fold>
    </li>
  )
})
