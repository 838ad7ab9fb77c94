import type { Network } from '@slipway/contract'
import { useState } from 'react'
import { useMay } from '../../api/access.ts'
import { useUpdateNetwork } from '../../api/networks.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyLine } from '../../ui/CopyLine.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Cells, Sheet } from '../../ui/Sheet.tsx'

/** In the URL. */
const internetDialog = 'internet-access'

interface NetworkFactsProps {
  network: Network
  /** Why the engine has no networks; null where it has. */
  limit: string | null
}

/** The domain of a network, and whether it reaches the Internet, with the switch for that. */
export function NetworkFacts({ network, limit }: NetworkFactsProps) {
  const openDialog = useOpenDialog()
  const asking = useDialog(internetDialog)
  const may = useMay()
  const { domain, internet } = network
  return (
    <>
      <Sheet aria-label="About the network" className="mb-6 max-w-190">
        <Cells
          columns={2}
          // Side by side a domain would break within a word.
          className="max-sm:grid-cols-1"
          items={[
            {
              label: 'Domain',
              value: (
                // As high as the button beside it.
                <span className="flex min-h-7 min-w-0 items-center gap-1.5 phone:min-h-10">
                  <CopyLine text={domain} label="Copy domain" />
                </span>
              ),
            },
            {
              label: 'Internet access',
              value: (
                <>
                  <span className="flex-1">{internet ? 'On' : 'Off'}</span>
                  <Button
                    size="sm"
                    className="phone:h-10"
                    aria-label={internet ? 'Switch off Internet access' : 'Switch on Internet access'}
                    disabledReason={limit ?? reasonOf(may('network.update'))}
                    onClick={() => openDialog(internetDialog)}
                  >
                    {internet ? 'Switch Off' : 'Switch On'}
                  </Button>
                </>
              ),
            },
          ]}
        />
      </Sheet>
      {asking.open && limit === null && <InternetDialog network={network} onClose={() => asking.close()} />}
    </>
  )
}

/** Asks before all VMs of a project get or lose their way to the Internet. */
function InternetDialog({ network, onClose }: { network: Network; onClose: () => void }) {
  const update = useUpdateNetwork(network.project_id)
  // The question stays the same while it closes, when the answer is shown below already.
  const [internet] = useState(network.internet)
  const confirmed = useConfirmedAct({
    call: 'network.update',
    act: () => update.mutateAsync(!internet),
    done: internet ? 'Internet access switched off' : 'Internet access switched on',
    failed: `Failed to switch ${internet ? 'off' : 'on'} Internet access. Please try again.`,
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title={internet ? 'Switch off Internet access' : 'Switch on Internet access'}
      tone={internet ? 'danger' : 'normal'}
      confirmLabel={internet ? 'Switch Off' : 'Switch On'}
      busyLabel="Switching..."
      {...confirmed}
    >
      {internet
        ? 'VMs of this project will not reach the Internet. They still reach each other, and you still reach them.'
        : 'All VMs of this project will reach the Internet.'}
    </ConfirmDialog>
  )
}
