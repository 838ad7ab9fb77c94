import { Dialog } from '@base-ui/react/dialog'
import type { Vm } from '@slipway/contract'
import { useRef } from 'react'
import { useMatch, useNavigate } from 'react-router'
import { useVms } from '../../api/vms.ts'
import { cx } from '../../ui/cx.ts'
import { useVmActions } from '../vm/vm-actions.tsx'
import { Finder } from './Finder.tsx'
import type { PaletteGroup } from './palette-items.ts'
import { vmCommands } from './use-commands.tsx'

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
