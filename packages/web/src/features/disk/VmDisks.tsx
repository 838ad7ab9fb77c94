import { diskAllowedBy, disksPerVm, hotPlugAllowed, isMember, type Vm } from '@slipway/contract'
import { Plus, Unplug } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { Link } from 'react-router'
import { useMay } from '../../api/access.ts'
import { useDisks } from '../../api/disks.ts'
import { useLimits } from '../../api/host.ts'
import { paths } from '../../paths.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { objectIcons } from '../../shell/object-icons.ts'
import { useDialogInUrl, useOpenDialog } from '../../shell/use-dialog.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { diskDialogs } from './disk-dialogs.ts'
import { DetachDialog } from './disk-questions.tsx'

// The form comes when it is first opened.
const AttachDiskDialog = lazy(async () => ({
  default: (await import('./AttachDialog.tsx')).AttachDiskDialog,
}))

const icon = { size: 14, strokeWidth: 1.6, 'aria-hidden': true } as const

/** The disks of a VM, on its page: what is attached to it, with the ways to attach and detach. */
export function VmDisks({ vm }: { vm: Vm }) {
  const openDialog = useOpenDialog()
  const may = useMay(vm.project_id)
  const denied = reasonOf(may('disk.create'))
  // Only disks of members can go with their VM.
  const { disks } = useDisks(isMember(vm) ? vm.project_id : undefined)
  const goesWithVm = (diskId: string) =>
    disks.some(({ id, deleted_with_vm }) => id === diskId && deleted_with_vm)
  const limit = reasonOf(hotPlugAllowed(vm, useLimits()))
  const full = vm.disks.length >= disksPerVm
  return (
    <section className="min-w-0">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 className="text-section">Disks</h2>
        {denied ? (
          <Button variant="quiet" size="sm" disabledReason={denied}>
            Create Disk
          </Button>
        ) : (
          <Link to={paths.diskCreate(vm.project_id)} className="link text-hint">
            Create Disk
          </Link>
        )}
      </div>
      <ul className="sheet divide-y divide-line text-dense">
        <Row
          name="Root disk"
          note={vm.persistent ? 'Keeps its data' : 'Starts from the template at every start'}
        />
        {vm.disks.map(({ disk_id, name, size }) => (
          <Row
            key={disk_id}
            name={
              <Link
                to={paths.disk(vm.project_id, disk_id)}
                className="text-ink no-underline hover:underline"
                dir="auto"
              >
                {name}
              </Link>
            }
            note={goesWithVm(disk_id) ? 'Data disk, deleted with this VM' : 'Data disk'}
            size={size}
          >
            <IconButton
              size="sm"
              label={`Detach ${name}`}
              icon={<Unplug size={16} strokeWidth={1.6} aria-hidden />}
              disabledReason={reasonOf(may('disk.detach')) ?? reasonOf(diskAllowedBy.detach(vm)) ?? limit}
              onClick={() => openDialog(diskDialogs.detach, disk_id)}
              className="-mr-1.5"
            />
          </Row>
        ))}
      </ul>
      <Button
        size="sm"
        icon={<Plus {...icon} />}
        disabledReason={
          reasonOf(may('disk.attach')) ??
          (full
            ? `This VM has ${disksPerVm} disks, the maximum.`
            : (reasonOf(diskAllowedBy.attach(vm)) ?? limit))
        }
        onClick={() => openDialog(diskDialogs.attachTo, vm.id)}
        className="mt-2 phone:h-10"
      >
        Attach disk
      </Button>
      {limit && <p className="mt-1.5 text-hint text-ink-3">{limit}</p>}
      <VmDiskDialogs vm={vm} />
    </section>
  )
}

/** What is asked about the disks of a VM, on its page. */
function VmDiskDialogs({ vm }: { vm: Vm }) {
  const { dialog, close } = useDialogInUrl()
  const disks = vm.disks.map(({ disk_id, name }) => ({
    id: disk_id,
    name,
    project_id: vm.project_id,
    vm_id: vm.id,
  }))
  return (
    <>
      {dialog?.name === diskDialogs.attachTo && (
        <Suspense fallback={null}>
          <AttachDiskDialog vm={vm} onClose={close} />
        </Suspense>
      )}
      <ObjectDialogs
        objects={disks}
        loading={false}
        gone="The disk is no longer attached to this VM."
        dialogs={{
          [diskDialogs.detach]: (disk, done) => <DetachDialog disk={disk} onClose={done} />,
        }}
      />
    </>
  )
}

function Row({
  name,
  note,
  size,
  children,
}: {
  name: ReactNode
  note: string
  size?: string
  children?: ReactNode
}) {
  return (
    <li className="flex items-center gap-3 px-3.5 py-2">
      <objectIcons.disk size={16} strokeWidth={1.6} aria-hidden className="flex-none text-ink-3" />
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
