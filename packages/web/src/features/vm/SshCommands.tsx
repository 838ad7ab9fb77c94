import type { SshWay } from '@slipway/contract'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { insideOnly, sshCopyTexts } from './ssh-words.ts'

/** The commands that open a shell in a VM, the one to take first, and where each is of use. */
export function SshCommands({ first, second }: { first: SshWay; second: SshWay | undefined }) {
  return (
    <>
      <div>
        <WayTitle way={first} />
        <CodeLine code={first.command} {...sshCopyTexts} />
      </div>
      {second && (
        <div>
          <WayTitle way={second} />
          <CodeLine code={second.command} {...sshCopyTexts} copyLabel="Copy the other command" />
        </div>
      )}
    </>
  )
}

/** Where a command is of use. */
function WayTitle({ way }: { way: SshWay }) {
  return <p className="mb-1 text-hint text-ink-3">{titleOf(way)}</p>
}

function titleOf(way: SshWay): string {
  if (way.kind === 'gateway')
    return way.onServerOnly ? 'By its name, through the console' : 'From anywhere the console can be reached'
  return way.addresses === 'inside' ? insideOnly : "On the server's own machine only"
}
