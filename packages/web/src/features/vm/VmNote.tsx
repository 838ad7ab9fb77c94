import { fillPath, routeOf, type Vm, vmCan } from '@slipway/contract'
import { Link } from 'react-router'
import { apiBase } from '../../api/client.ts'
import { paths } from '../../paths.ts'
import { WhyNote } from '../../shell/WhyNote.tsx'
import { Button } from '../../ui/Button.tsx'
import type { VmActions } from './vm-actions.tsx'
import { currentStep } from './vm-steps.ts'

interface VmNoteProps {
  vm: Vm
  actions: VmActions
}

/** Why the VM is in its state, since when, and what comes or what to do. Nothing for one that is well. */
export function VmNote({ vm, actions }: VmNoteProps) {
  const { status_message: reason, status_since: since, status_deadline: until } = vm
  if (vm.status === 'failed' || vm.status === 'error') {
    return (
      <WhyNote
        tone="failed"
        word={vm.status === 'failed' ? 'Failed' : 'Error'}
        reason={reason}
        since={since}
        actions={
          <span className="flex flex-wrap gap-2">
            {vmCan.start(vm) === true && (
              <Button
                size="sm"
                busy={actions.power.busy}
                disabledReason={actions.power.disabledReason}
                busyText="Trying..."
                onClick={actions.power.run}
              >
                Try again
              </Button>
            )}
            {vm.steps.some(({ name }) => name === 'boot') && (
              <Button size="sm" render={<a href={logPathOf(vm)} target="_blank" rel="noreferrer" />}>
                View log
              </Button>
            )}
            <Button
              size="sm"
              aria-haspopup="dialog"
              disabledReason={actions.delete.disabledReason}
              onClick={actions.delete.run}
            >
              Delete...
            </Button>
          </span>
        }
      />
    )
  }
  const step = currentStep(vm)
  if (!step) return reason ? <WhyNote tone="known" word="" reason={reason} /> : null
  const waitsForRoom = vm.steps.some(({ name, ended_at }) => name === 'room' && ended_at === null)
  return (
    <WhyNote
      tone="waiting"
      word={vm.status.charAt(0).toUpperCase() + vm.status.slice(1)}
      reason={step}
      since={since}
      until={until}
      actions={
        waitsForRoom && (
          <Link to={paths.vms(vm.project_id)} className="link text-dense">
            Stop another VM
          </Link>
        )
      }
    />
  )
}

const logPathOf = ({ project_id: projectId, id: vmId }: Vm) =>
  apiBase + fillPath(routeOf('vm.consoleLog').path, { projectId, vmId })
