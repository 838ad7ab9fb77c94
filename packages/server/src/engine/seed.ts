/** What a guest is told about itself, on every engine. */
import type { MachineSpec } from './engine.ts'
import { formOf, programFiles, withSettings } from './seed-script.ts'

export type SeedSpec = Pick<
  MachineSpec,
  'id' | 'hostname' | 'sshPublicKeys' | 'formerSshPublicKeys' | 'startScript'
>

/**
 * What a guest reads to become itself, in the NoCloud form that cloud-init and Starter Linux understand. Every text
 * is a JSON string, which is also YAML, so no name can break out of its place.
 * Format: cloud-init documentation, "NoCloud".
 */
export function seedFiles(spec: SeedSpec): { metaData: string; userData: string } {
  const keys = spec.sshPublicKeys.map(oneLine).filter(Boolean)
  const metaData = [
    `instance-id: ${JSON.stringify(spec.id)}`,
    `local-hostname: ${JSON.stringify(oneLine(spec.hostname))}`,
    ...(keys.length > 0 ? ['public-keys:', ...keys.map((key) => `  - ${JSON.stringify(key)}`)] : []),
  ]
  const former = (spec.formerSshPublicKeys ?? []).map(keyBody).filter(Boolean)
  const { startScript } = spec
  const isProgram = startScript !== undefined && formOf(startScript) === 'program'
  const userData = {
    hostname: oneLine(spec.hostname),
    disable_root: false,
    ssh_pwauth: false,
    // One kind of host key is enough, and others take long to make where guests run by translation.
    ssh_genkeytypes: ['ed25519'],
    // An empty list of keys is none to cloud-init's schema.
    ...(former.length > 0 && { bootcmd: [['sh', '-c', CHANGE_KEYS, 'keys', ...former, '--', ...keys]] }),
    users: [{ name: 'root', lock_passwd: true, ...(keys.length > 0 ? { ssh_authorized_keys: keys } : {}) }],
    // At the end of every boot cloud-init runs what stands in this directory.
    write_files: [
      { path: '/var/lib/cloud/scripts/per-boot/say-ready', permissions: '0755', content: SAY_READY },
      ...(isProgram ? programFiles(startScript) : []),
    ],
  }
  const ours = `#cloud-config\n${JSON.stringify(userData, null, 2)}\n`
  return {
    metaData: `${metaData.join('\n')}\n`,
    userData: startScript === undefined || isProgram ? ours : withSettings(ours, startScript),
  }
}

/** Tells the host that the guest is up; images of Slipway's own have a program for that. */
const SAY_READY = `#!/bin/sh
port=/dev/virtio-ports/org.slipway.ready
[ ! -e "$port" ] || echo ready > "$port"
`

/**
 * cloud-init adds the keys of a user once for each instance, and takes none away; commands at boot it runs every time.
 * Source: cloud-init documentation, "Modules", frequencies of `bootcmd` and `users_groups`.
 */
const CHANGE_KEYS = `umask 077
mkdir -p /root/.ssh
cd /root/.ssh || exit
touch authorized_keys
while [ "$1" != -- ]; do
  grep -vF -e "$1" authorized_keys > slipway-keys
  cat slipway-keys > authorized_keys
  shift
done
shift
for key; do
  grep -qF -e "$key" authorized_keys || printf '%s\\n' "$key" >> authorized_keys
done
rm -f slipway-keys
`

/** The type and the key itself, without a comment. */
export const keyBody = (key: string): string => oneLine(key).split(' ').slice(0, 2).join(' ')

/** Control characters end lines or hide text; a key or a name has none. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
