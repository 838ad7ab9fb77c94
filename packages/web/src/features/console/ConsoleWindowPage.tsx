import { missing } from '@slipway/contract'
import { type LoaderFunctionArgs, useParams } from 'react-router'
import { useVm } from '../../api/vms.ts'
import { RequireSession } from '../../shell/guards.tsx'
import { beginConsole } from './begin-console.ts'
import { ConsoleSheet } from './ConsoleSheet.tsx'

export function loader({ params: { projectId = '', vmId = '' } }: LoaderFunctionArgs): null {
  beginConsole({ projectId, vmId })
  return null
}

/** The console of a VM in a window of its own. */
export function Component() {
  return (
    <RequireSession>
      <ConsoleWindow />
    </RequireSession>
  )
}

function ConsoleWindow() {
  const { projectId = '', vmId = '' } = useParams()
  const { data: vm, error } = useVm(projectId, vmId)
  const title = vm ? `Console of ${vm.name}` : error ? missing.vmNotFound : 'Console'
  return (
    <main id="main" tabIndex={-1} className="min-h-dvh min-w-0 bg-term outline-none">
      <title>{title}</title>
      <h1 className="sr-only">{title}</h1>
      <ConsoleSheet projectId={projectId} vmId={vmId} vm={vm} alone />
    </main>
  )
}
