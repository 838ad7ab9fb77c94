import { Copy, Play, Plus, RefreshCw, Square, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Banner } from '../ui/Banner.tsx'
import { Button, IconButton } from '../ui/Button.tsx'
import { CodeLine } from '../ui/CodeLine.tsx'
import { ConfirmDialog, Dialog } from '../ui/Dialog.tsx'
import { Menu } from '../ui/Menu.tsx'
import { toast } from '../ui/toast.tsx'
import { longName } from './long-name.ts'
import { Part } from './Part.tsx'

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

export function Buttons() {
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

export function Banners() {
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

export function Messages() {
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
