import {
  formatSnapshotSize,
  isSnapshotUnderWay,
  type Vm,
  type VmSnapshot,
  vmCan,
  vmSnapshotStateOf,
} from '@slipway/contract'
import { Camera, Undo2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { paths } from '../../paths.ts'
import { formatDateTime } from '../../time.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import { canRestore } from './restore.ts'
import { RestoreDialog } from './snapshot-dialogs.tsx'
import { typeText } from './snapshot-words.ts'

/** So many stand on the VM's page; the others are in the list. */
const shownAtMost = 5

const reasonOf = (allowed: true | string) => (allowed === true ? undefined : allowed)

/** The newest snapshots of a VM, on its page, with the way back to each. */
export function VmSnapshots({ vm }: { vm: Vm }) {
  const { snapshots, loading, error } = useVmSnapshots(vm.project_id)
  const own = useMemo(() => snapshots.filter(({ vm_id }) => vm_id === vm.id).reverse(), [snapshots, vm.id])
  const [restoring, setRestoring] = useState<VmSnapshot | null>(null)
  return (
    <section className="min-w-0">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 className="text-section">Snapshots</h2>
        {own.length > 0 && (
          <Link to={paths.snapshots(vm.project_id, vm.id)} className="link text-hint">
            View all {own.length}
          </Link>
        )}
      </div>
      {own.length > 0 ? (
        <ul className="sheet divide-y divide-line text-dense">
          {own.slice(0, shownAtMost).map((snapshot) => (
            <Row key={snapshot.id} snapshot={snapshot} vm={vm} onRestore={() => setRestoring(snapshot)} />
          ))}
        </ul>
      ) : (
        <p className="text-ink-2">
          {loading ? 'Loading snapshots...' : error ? 'Failed to load snapshots' : none}
        </p>
      )}
      <Button
        size="sm"
        icon={<Camera size={14} strokeWidth={1.6} aria-hidden />}
        disabledReason={reasonOf(vmCan.snapshot(vm))}
        render={<Link to={paths.snapshotCreate(vm.project_id, vm.id)} />}
        className="mt-2 phone:h-10"
      >
        Create Snapshot
      </Button>
      {restoring && <RestoreDialog snapshot={restoring} vm={vm} onClose={() => setRestoring(null)} />}
    </section>
  )
}

const none = 'None yet. A snapshot lets you bring the VM back to what it was.'

interface RowProps {
  snapshot: VmSnapshot
  vm: Vm
  onRestore: () => void
}

function Row({ snapshot, vm, onRestore }: RowProps) {
  const { name, status, created_at, size_mb, progress, automatic } = snapshot
  const state = vmSnapshotStateOf(snapshot)
  const ready = state === 'ready'
  return (
    <li className="flex items-center gap-3 px-3.5 py-2">
      <StatusGlyph word={status} />
      <span className="min-w-0 flex-1">
        <span className="block font-[550] wrap-anywhere" dir="auto">
          {name}
        </span>
        <span className="block text-label/4.5 text-ink-3">
          {!ready && (
            <>
              {state.charAt(0).toUpperCase() + state.slice(1)}
              {progress !== null && ` ${Math.floor(progress * 100)}%`},{' '}
            </>
          )}
          {formatDateTime(created_at)}, {automatic ? 'automatic' : typeText(snapshot).toLowerCase()}
        </span>
      </span>
      {!isSnapshotUnderWay(snapshot) && size_mb !== null && (
        <span className="whitespace-nowrap">{formatSnapshotSize(size_mb)}</span>
      )}
      <IconButton
        size="sm"
        label={`Restore VM from ${name}`}
        icon={<Undo2 size={16} strokeWidth={1.6} aria-hidden />}
        disabledReason={reasonOf(canRestore(snapshot, vm))}
        onClick={onRestore}
        className="-mr-1.5"
      />
    </li>
  )
}
