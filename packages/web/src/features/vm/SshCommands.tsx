import { CodeLine } from '../../ui/CodeLine.tsx'
import type { SshWay } from './ssh-ways.ts'
import { sshCopyTexts } from './ssh-words.ts'

/** The commands that open a shell in a VM, the one to take first, and where each is of use. */
export function SshCommands({ first, second }: { first: SshWay; second: SshWay | undefined }) {
  return (
    <>
      <div>
        <WayTitle way={first} alone={!second} />
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

/** Where a command is of use. One that is the only one and works everywhere needs no word. */
function WayTitle({ way, alone = false }: { way: SshWay; alone?: boolean }) {
  if (alone && !way.onServerOnly) return null
  const text = {
    gateway: way.onServerOnly
      ? 'By its name, through the console'
      : 'From anywhere the console can be reached',
    direct: way.onServerOnly ? "On the server's own machine only" : 'At its own address',
  }[way.kind]
  return <p className="mb-1 text-hint text-ink-3">{text}</p>
}
