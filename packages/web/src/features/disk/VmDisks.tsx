import { diskAllowedBy, disksPerVm, type Vm } from '@slipway/contract'
import { HardDrive, Plus, Unplug } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { useDisks } from '../../api/disks.ts'
import { paths } from '../../paths.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { isMember } from '../vm-group/PartOf.tsx'
import { DetachDialog } from './disk-actions.tsx'

// The form comes when it is first opened.
const AttachDiskDialog = lazy(async () => ({
  default: (await import('./AttachDialog.tsx')).AttachDiskDialog,
}))

const icon = { size: 14, strokeWidth: 1.6, 'aria-hidden': true } as const
const reasonOf = (allowed: true | string) => (allowed === true ? undefined : allowed)

/** The disks of a VM, on its page: what it has, with the way on and off it. */
export function VmDisks({ vm }: { vm: Vm }) {
  const [attaching, setAttaching] = useState(false)
  const [detachingId, setDetachingId] = useState<string | null>(null)
  const detaching = vm.disks.find(({ disk_id }) => disk_id === detachingId)
  // Only disks of members can go with their VM.
  const { disks } = useDisks(isMember(vm) ? vm.project_id : undefined)
  const goesWithVm = (diskId: string) =>
    disks.some(({ id, deleted_with_vm }) => id === diskId && deleted_with_vm)
  const full = vm.disks.length >= disksPerVm
  return (
    <section className="min-w-0">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 className="text-section">Disks</h2>
        <Link to={paths.diskCreate(vm.project_id)} className="link text-hint">
          Create Disk
        </Link>
      </div>
      <ul className="sheet divide-y divide-line text-dense">
        <Row
          name="Root disk"
          note={vm.persistent ? 'Keeps its data' : 'Starts from the template at every start'}
        />
        {vm.disks.map(({ disk_id, name, size }) => (
          <Row
            key={disk_id}
            name={name}
            note={goesWithVm(disk_id) ? 'Data disk, deleted with this VM' : 'Data disk'}
            size={size}
          >
            <IconButton
              size="sm"
              label={`Detach ${name}`}
              icon={<Unplug size={16} strokeWidth={1.6} aria-hidden />}
              disabledReason={reasonOf(diskAllowedBy.detach(vm))}
              onClick={() => setDetachingId(disk_id)}
              className="-mr-1.5"
            />
          </Row>
        ))}
      </ul>
      <Button
        size="sm"
        icon={<Plus {...icon} />}
        disabledReason={
          full ? `This VM has ${disksPerVm} disks, as many as it can.` : reasonOf(diskAllowedBy.attach(vm))
        }
        onClick={() => setAttaching(true)}
        className="mt-2 phone:h-10"
      >
        Attach disk
      </Button>
      <Suspense fallback={null}>
        {attaching && <AttachDiskDialog vm={vm} onClose={() => setAttaching(false)} />}
      </Suspense>
      {detaching && (
        <DetachDialog
          disk={{ id: detaching.disk_id, name: detaching.name, project_id: vm.project_id, vm_id: vm.id }}
          onClose={() => setDetachingId(null)}
        />
      )}
    </section>
  )
}

function Row({
  name,
  note,
  size,
  children,
}: {
  name: string
  note: string
  size?: string
  children?: ReactNode
}) {
  return (
    <li className="flex items-center gap-3 px-3.5 py-2">
      <HardDrive size={16} strokeWidth={1.6} aria-hidden className="flex-none text-ink-3" />
      <span className="min-w-0 flex-1">
        <span className="block font-[550] wrap-anywhere" dir="auto">
          {name}
        </span>
        <span className="block text-label/4.5 text-ink-3">{note}</span>
      </span>
      {size && <span>{size}</span>}
      {children}
    </li>
  )
}
