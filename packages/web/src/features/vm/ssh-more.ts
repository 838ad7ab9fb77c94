import type { SshWay } from '@slipway/contract'

/** What else one can do by a way into a VM, with the names of what to replace in capitals. */
export function moreOf({ kind, user, host, port }: SshWay): { label: string; command: string }[] {
  const option = port === 22 ? '' : `-P ${port} `
  // A colon ends a host, so an IPv6 address stands in brackets.
  const target = `${user}@${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}`
  const jump = {
    label: 'Jump through the console',
    command: `ssh -J jump@${host}:${port} root@${user}`,
  }
  return [
    { label: 'Copy a file to the VM', command: `scp ${option}FILE ${target}:` },
    { label: 'Copy a file from the VM', command: `scp ${option}${target}:FILE .` },
    { label: 'Look through its files', command: `sftp ${option}${target}` },
    {
      label: 'Reach port 8080 of the VM',
      command: `ssh -L 8080:localhost:8080 ${user}@${host}${port === 22 ? '' : ` -p ${port}`}`,
    },
    ...(kind === 'gateway' ? [jump] : []),
  ]
}
