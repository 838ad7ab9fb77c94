import type { Vm } from '@slipway/contract'
import { MemoryStick } from 'lucide-react'
import type { ReactNode } from 'react'
import { objectIcons } from '../../shell/object-icons.ts'
import { Sheet } from '../../ui/Sheet.tsx'

interface SnapshotContentProps {
  /** The chosen one. */
  vm: Vm | undefined
  withMemory: boolean
}

/** What the snapshot will contain, beside its form. */
export function SnapshotContent({ vm, withMemory }: SnapshotContentProps) {
  return (
    <Sheet title="Snapshot content" aria-label="Snapshot content" className="lg:sticky lg:top-6.5">
      {vm ? (
        <Content vm={vm} withMemory={withMemory} />
      ) : (
        <p className="px-4 py-3.5 text-hint text-ink-3">Select a VM to see what the snapshot will contain.</p>
      )}
    </Sheet>
  )
}

function Content({ vm, withMemory }: { vm: Vm; withMemory: boolean }) {
  return (
    <ul className="divide-y divide-line text-dense">
      {withMemory && (
        <Part icon={<MemoryStick size={16} strokeWidth={1.6} aria-hidden />} name="Memory">
          Everything running in the guest at that moment
        </Part>
      )}
      <Part icon={disk} name="Root disk">
        Root disk of <bdi>{vm.name}</bdi>
      </Part>
      {vm.disks.map(({ disk_id, name, size }) => (
        <Part key={disk_id} icon={disk} name={name} size={size}>
          Data disk
        </Part>
      ))}
    </ul>
  )
}

const disk = <objectIcons.disk size={16} strokeWidth={1.6} aria-hidden />

interface PartProps {
  icon: ReactNode
  name: string
  size?: string
  children: ReactNode
}

function Part({ icon, name, size, children }: PartProps) {
  return (
    <li className="flex items-center gap-3 px-4 py-2">
      <span className="flex-none text-ink-3">{icon}</span>
      <span className="min-w-0 flex-1 wrap-anywhere">
        <bdi className="block font-[550]">{name}</bdi>
        <span className="block text-label/4.5 text-ink-3">{children}</span>
      </span>
      {size && <span>{size}</span>}
    </li>
  )
}
