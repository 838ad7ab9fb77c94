import { Copy, Play, Plus, RefreshCw, Square, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Banner } from '../ui/Banner.tsx'
import { Button, IconButton } from '../ui/Button.tsx'
import { Chart } from '../ui/Chart.tsx'
import { Checkbox } from '../ui/Checkbox.tsx'
import { CodeLine } from '../ui/CodeLine.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { ConfirmDialog, Dialog } from '../ui/Dialog.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { Field, PasswordInput, TextArea, TextInput } from '../ui/Field.tsx'
import { FormFoot, FormSection, FormSheet } from '../ui/FormSheet.tsx'
import { LoadingState } from '../ui/LoadingState.tsx'
import { Mark } from '../ui/Mark.tsx'
import { Menu } from '../ui/Menu.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { WorkTrack } from '../ui/Progress.tsx'
import { Select } from '../ui/Select.tsx'
import { Cells, Rows, Sheet, StatStrip } from '../ui/Sheet.tsx'
import { Status, StatusGlyph } from '../ui/Status.tsx'
import { StepList } from '../ui/StepList.tsx'
import { TemplatePlate } from '../ui/TemplatePlate.tsx'
import { setTheme, type Theme, useTheme } from '../ui/theme.ts'
import { toast } from '../ui/toast.tsx'

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const
const longName = 'payments-ledger-reconciliation-worker-eu-north-canary-0123456789-abcdefghijklmnopqrstuvwxyz'
const words =
  'running active attached available ready pending creating provisioning starting stopping scaling deleting stopped failed error migrating'
const plates =
  'starter base node-react python-django rust go nextjs laravel docker-kubernetes ubuntu-lts something-else'

/** Every piece of `ui/` in every state. Only in the development server. */
export function Component() {
  const theme = useTheme()
  return (
    <main className="mx-auto max-w-350 space-y-10 px-4 py-6 md:px-9">
      <PageHeader
        title="Gallery"
        description="Every piece of the kit in every state, drawn once."
        breadcrumb={[{ label: 'Development' }, { label: 'Gallery' }]}
        meta={<span>Only in the development server</span>}
        actions={
          <Select
            label="Appearance"
            size="sm"
            className="w-36!"
            value={theme}
            onValueChange={(value) => setTheme(value as Theme)}
            options={[
              { value: 'system', label: 'System' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
        }
      />
      <div className="grid gap-8 lg:grid-cols-2 [&>*]:min-w-0">
        <div className="space-y-8">
          <Statuses />
          <Buttons />
          <Banners />
          <Messages />
          <Steps />
        </div>
        <div className="space-y-8">
          <Fields />
          <FormPage />
          <Sheets />
          <Lines />
        </div>
      </div>
      <Charts />
      <States />
    </main>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-2 text-section">{title}</h2>
      {children}
    </section>
  )
}

function Statuses() {
  const [since] = useState(() => new Date(Date.now() - 6_000).toISOString())
  return (
    <Part title="Status">
      <div className="sheet grid grid-cols-2 gap-x-3 gap-y-2 px-4 py-3.5 sm:grid-cols-4">
        {words.split(' ').map((word) => (
          <span key={word}>
            <Status word={word} since={word === 'provisioning' ? since : undefined} />
          </span>
        ))}
      </div>
    </Part>
  )
}

function Buttons() {
  return (
    <Part title="Buttons">
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" icon={<Plus {...icon} />}>
          Create VM
        </Button>
        <Button variant="primary" busy busyText="Creating...">
          Create VM
        </Button>
        <Button variant="primary" disabledReason="Disk 2 still needs a choice.">
          Create VM
        </Button>
        <Button icon={<RefreshCw {...icon} />}>Refresh</Button>
        <Button disabled>Refresh</Button>
        <Button variant="quiet">Clear Filters</Button>
        <Button variant="danger" icon={<Trash2 {...icon} />}>
          Delete VM
        </Button>
        <Button variant="danger" busy busyText="Deleting...">
          Delete VM
        </Button>
        <Button size="sm">Try Again</Button>
        <Button size="lg">View Templates</Button>
        <IconButton label="Copy IP address" icon={<Copy {...icon} />} />
        <IconButton
          label="Delete scratch"
          icon={<Trash2 {...icon} />}
          disabledReason="The disk is attached to web-1."
        />
        <Menu
          label="Actions of web-1"
          trigger={<Button>Menu</Button>}
          items={[
            { note: 'web-1', detail: 'Running since 09:12' },
            'separator',
            { label: 'Start', icon: <Play {...icon} />, disabledReason: 'The VM is running.' },
            { label: 'Stop', icon: <Square {...icon} />, onSelect: () => toast.info('Stop') },
            {
              choice: 'Shown',
              value: 'a',
              options: [{ value: 'a', label: 'Cards' }],
              onValueChange: () => {},
            },
            'separator',
            {
              label: 'Delete',
              icon: <Trash2 {...icon} />,
              danger: true,
              onSelect: () => toast.info('Delete'),
            },
          ]}
        />
      </div>
    </Part>
  )
}

function Banners() {
  return (
    <Part title="Banners">
      <div className="grid gap-2">
        <Banner tone="error" action={<Button size="sm">Try Again</Button>}>
          Failed to load disks
        </Banner>
        <Banner tone="warn" title="Persistent storage is off">
          All data on the root disk is lost when the VM stops or restarts.
        </Banner>
        <Banner tone="info">Snapshot "{longName}" created successfully!</Banner>
      </div>
    </Part>
  )
}

function Messages() {
  const [dialog, setDialog] = useState<'plain' | 'confirm' | null>(null)
  const [busy, setBusy] = useState(false)
  const close = () => setDialog(null)
  return (
    <Part title="Toasts and dialogs">
      <div className="flex flex-wrap gap-2">
        <Button
          onClick={() => toast.success('VM "geo-tiles-build" created successfully with SSH key configured!')}
        >
          Success
        </Button>
        <Button
          onClick={() =>
            toast.error('Failed to detach disk. Please try again.', { detail: `${longName} is running` })
          }
        >
          Error
        </Button>
        <Button onClick={() => toast.warning('Please select an existing disk for all disk entries')}>
          Warning
        </Button>
        <Button onClick={() => toast.info('This one stays', { duration: 0 })}>Info, stays</Button>
        <Button onClick={() => setDialog('plain')}>Dialog</Button>
        <Button
          onClick={() => {
            setBusy(false)
            setDialog('confirm')
          }}
        >
          Confirm
        </Button>
      </div>
      <Dialog
        open={dialog === 'plain'}
        onOpenChange={close}
        title="SSH Connect"
        description="The key ines-thinkpad is installed on this VM."
        footer={
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        }
      >
        <CodeLine
          code="ssh -p 22022 root@127.0.0.1"
          copyLabel="Copy SSH command"
          success="SSH connection string copied to clipboard!"
          failure="Failed to copy SSH connection string"
        />
      </Dialog>
      <ConfirmDialog
        open={dialog === 'confirm'}
        onOpenChange={close}
        title="Delete VM"
        confirmLabel="Delete VM"
        busyLabel="Deleting..."
        busy={busy}
        onConfirm={() => setBusy(true)}
        error={busy ? 'The VM is being restored from a snapshot.' : null}
      >
        Are you sure you want to delete VM "<b>{longName}</b>"? Attached disks are kept. This action cannot be
        undone.
      </ConfirmDialog>
    </Part>
  )
}

function Steps() {
  const [now] = useState(() => Date.now())
  const at = (secondsAgo: number) => new Date(now - secondsAgo * 1000).toISOString()
  return (
    <Part title="Steps">
      <div className="sheet grid gap-x-8 p-4 sm:grid-cols-2">
        <StepList
          steps={[
            { label: 'Image found', state: 'done', startedAt: at(12), endedAt: at(11.6) },
            { label: 'Root disk cloned', state: 'done', startedAt: at(11.6), endedAt: at(9.8) },
            { label: 'Waiting for SSH', state: 'now', startedAt: at(4) },
            { label: 'Ready', state: 'todo' },
          ]}
        />
        <StepList
          steps={[
            { label: 'Image found', state: 'done', startedAt: at(300), endedAt: at(165) },
            { label: 'Root disk cloned', state: 'failed', startedAt: at(165), endedAt: at(160) },
            { label: 'Ready', state: 'todo' },
          ]}
        />
      </div>
    </Part>
  )
}

function Fields() {
  const [choice, setChoice] = useState<string | null>(null)
  return (
    <Part title="Fields">
      <div className="sheet space-y-4 p-5">
        <Field label="Name" hint="Letters, digits and hyphens.">
          <TextInput defaultValue={longName} />
        </Field>
        <Field label="Description" optional>
          <TextArea placeholder="What it is for" />
        </Field>
        <Field label="Desired size" error="Desired size must be between minimum and maximum size.">
          <TextInput defaultValue="8" inputMode="numeric" />
        </Field>
        <Field label="Password">
          <PasswordInput defaultValue="Harbour-2026" />
        </Field>
        <Field label="Template" aside={<span className="text-label text-ink-3">3 templates</span>}>
          <Select
            value={choice}
            onValueChange={setChoice}
            placeholder="Choose a template"
            options={[
              { value: 'rust', label: 'Rust', description: '4 cores, 8.0 GB' },
              { value: 'go', label: longName, description: '1 core, 1.0 GB' },
              { value: 'php', label: 'Laravel with PHP', description: 'No image', disabled: true },
            ]}
          />
        </Field>
        <Field label="Existing disk" error="Please select an existing disk.">
          <Select value={null} onValueChange={() => {}} placeholder="Choose an available disk" options={[]} />
        </Field>
        <Field label="Disabled">
          <TextInput disabled defaultValue="web-1" />
        </Field>
        <Checkbox
          label="Persistent storage"
          description="The root disk keeps its data when the VM stops or restarts."
          defaultChecked
        />
        <Checkbox label="Remember me" />
        <Checkbox label="Not now" disabled />
      </div>
    </Part>
  )
}

function FormPage() {
  return (
    <Part title="Form page">
      <FormSheet label="Create Template" onSubmit={(event) => event.preventDefault()}>
        <FormSection title="Template">
          <Field label="Name">
            <TextInput defaultValue="Rust" />
          </Field>
        </FormSection>
        <FormFoot note="Please enter a template description" error="Admin access required">
          <Button>Cancel</Button>
          <Button type="submit" variant="primary">
            Create Template
          </Button>
        </FormFoot>
      </FormSheet>
    </Part>
  )
}

function Sheets() {
  return (
    <Part title="Sheets">
      <div className="space-y-4">
        <StatStrip
          items={[
            { label: 'Total', value: 9 },
            { label: 'Running', value: 3, glyph: <StatusGlyph word="running" />, note: 'of 9' },
            { label: 'Stopped', value: 1, glyph: <StatusGlyph word="stopped" /> },
            { label: 'Provisioning', value: 2, glyph: <StatusGlyph word="provisioning" /> },
            { label: 'Failed', value: 1, glyph: <StatusGlyph word="failed" /> },
          ]}
        />
        <Sheet title="Template details" actions={<Button size="sm">Change</Button>}>
          <div className="border-b border-line">
            <Cells
              columns={3}
              items={[
                { label: 'CPU', value: '4 cores' },
                { label: 'RAM', value: '8.0 GB' },
                { label: 'Network', value: 'Active' },
              ]}
            />
          </div>
          <WorkTrack label="Cloning the root disk" value={0.38} />
          <Rows
            items={[
              {
                label: 'IP Address',
                value: (
                  <>
                    <span className="mono flex-1">10.77.4.21</span>
                    <CopyButton
                      text="10.77.4.21"
                      label="Copy IP address"
                      success="IP address copied to clipboard!"
                      failure="Failed to copy IP address"
                    />
                  </>
                ),
              },
              { label: 'SSH Key', value: <span className="mono">ines-thinkpad</span> },
              {
                label: 'Why',
                value: 'Needs 2.0 GB of memory, the host has 1.2 GB. Free some and create it again.',
                tone: 'bad',
              },
            ]}
          />
        </Sheet>
        <Sheet>
          <Cells
            items={[
              { label: 'Project', value: longName },
              { label: 'Data disks', value: '10Gi' },
              { label: 'Created', value: 'Nov 20, 2026' },
              { label: 'Template', value: 'Rust' },
              { label: 'Persistent', value: 'Yes' },
            ]}
          />
          <WorkTrack label="Starting" />
        </Sheet>
      </div>
    </Part>
  )
}

function Lines() {
  return (
    <Part title="Marks, plates, commands">
      <div className="space-y-4">
        <div className="flex flex-wrap items-center gap-4">
          <Mark size={32} />
          {plates.split(' ').map((id) => (
            <TemplatePlate key={id} templateId={id} />
          ))}
          <TemplatePlate templateId="rust" imageUrl="/no-such-picture.png" />
          <TemplatePlate templateId="rust" size={16} />
        </div>
        <CodeLine
          code="ssh-keygen -t rsa -b 4096"
          copyLabel="Copy command"
          success="Command copied to clipboard!"
          failure="Failed to copy command"
        />
      </div>
    </Part>
  )
}

function Charts() {
  const [now] = useState(() => Math.floor(Date.now() / 1000))
  const times = Array.from({ length: 60 }, (_, i) => now - (59 - i) * 30)
  const wanted = times.map((_, i) => (i < 20 ? 1 : i < 48 ? 3 : 4))
  const chart = { times, formatTime: (ms: number) => new Date(ms).toLocaleTimeString(), syncKey: 'gallery' }
  return (
    <Part title="Charts">
      <div className="sheet grid grid-cols-[minmax(0,1fr)] lg:grid-cols-2 lg:divide-x lg:divide-line">
        <Chart
          {...chart}
          title="Size"
          lines={[
            { label: 'Desired', values: wanted, look: 'wanted', stepped: true },
            { label: 'Current', values: [1, 1, ...wanted.slice(0, -2)], look: 'live', stepped: true },
          ]}
          limits={[
            { label: 'max 6', value: 6 },
            { label: 'min 1', value: 1 },
          ]}
          ticks={[0, 2, 4, 6]}
          format={String}
          summary="Size from 1 to 4, now 4."
        />
        <Chart
          {...chart}
          title="CPU load"
          lines={[
            {
              label: 'CPU load',
              values: times.map((_, i) => (i > 30 && i < 36 ? null : 50 + 40 * Math.sin(i / 9))),
              look: 'live',
            },
          ]}
          limits={[{ label: 'add above 75%', value: 75 }]}
          ticks={[0, 50, 100]}
          format={(value) => `${Math.round(value)}%`}
          summary="CPU load from 10% to 90%, now 61%."
        />
      </div>
    </Part>
  )
}

function States() {
  return (
    <>
      <Part title="Empty">
        <EmptyState title="No VMs Yet" action={<Button variant="primary">Create VM</Button>}>
          A VM is a machine of your own: pick a template, add your SSH key, and it answers in seconds.
        </EmptyState>
      </Part>
      <Part title="Page error">
        <ErrorState
          title="Error Loading Templates"
          message="Failed to load templates. Please try again."
          onRetry={() => {}}
        />
      </Part>
      <Part title="Loading">
        <LoadingState text="Loading VMs..." outline="cards" />
      </Part>
      <Part title="Loading rows and forms">
        <LoadingState text="Loading SSH keys..." outline="rows" />
        <LoadingState text="Loading templates..." outline="form" />
      </Part>
    </>
  )
}
