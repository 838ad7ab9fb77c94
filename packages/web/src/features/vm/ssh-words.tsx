import type { SshWay } from './ssh-ways.ts'

export const sshCopyTexts = {
  copyLabel: 'Copy SSH connection string',
  success: 'SSH connection string copied to clipboard!',
  failure: 'Failed to copy to clipboard.',
} as const

/** Where a command is of use. One that is the only one and works everywhere needs no word. */
export function SshWayTitle({ way, alone = false }: { way: SshWay; alone?: boolean }) {
  if (alone && !way.onServerOnly) return null
  const text = {
    gateway: way.onServerOnly
      ? 'By its name, through the console'
      : 'From anywhere the console can be reached',
    direct: way.onServerOnly ? "On the server's own machine only" : 'At its own address',
  }[way.kind]
  return <p className="mb-1 text-hint text-ink-3">{text}</p>
}
