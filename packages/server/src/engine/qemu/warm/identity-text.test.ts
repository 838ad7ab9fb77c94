import { expect, test } from 'vitest'
import { run } from '../../../lib/command.ts'
import { makeHostKey } from './host-key.ts'
import { addressOf, type Identity, identityText } from './identity-text.ts'

const plug = { tap: 'swt0', mac: '52:54:01:02:03:04', ip: '10.80.5.7', domain: 'shop.internal' }
const who: Identity = {
  spec: {
    id: '00000000-0000-4000-8000-000000000001',
    hostname: 'web-1',
    sshPublicKeys: [`ssh-ed25519 AAAA it's "mine" $(reboot) \`x\` \\ *\n`, 'ssh-ed25519 BBBB other'],
  },
  network: addressOf({ plug }),
  bootId: null,
}

/** What a shell prints that has read it from a pipe, as a guest agent gives it. */
const inShell = (script: string, text: string) =>
  run('sh', ['-c', `cat | { . /proc/self/fd/0; ${script}; }`], { input: text })

test('a shell reads what was meant, whatever is in a name or a key', async () => {
  const seen = await inShell(
    'printf "%s|" "$instance" "$name" "$keys" "$mac" "$ip" "$netmask" "$prefix" "$gateway" "$resolver" "$domain" "$boot_id"',
    identityText(who),
  )
  expect(seen.split('|')).toEqual([
    ...[who.spec.id, 'web-1'],
    `ssh-ed25519 AAAA it's "mine" $(reboot) \`x\` \\ *\nssh-ed25519 BBBB other\n`,
    ...['52:54:01:02:03:04', '10.80.5.7', '255.255.252.0', '22', '10.80.4.1', '10.80.4.1', 'shop.internal'],
    ...['', ''],
  ])
})

test('it writes the host key as each of both SSH servers reads it', async () => {
  const key = makeHostKey('root@web-1')
  const text = identityText(who, key)
  expect(await inShell('printf %b "$dropbear_key" | od -An -v -tx1 | tr -d " \\n"', text)).toBe(
    key.dropbear.toString('hex'),
  )
  expect(await inShell('printf %s "$openssh_key"', text)).toBe(key.openssh)
})

test('what nobody else may have is another each time; the rest is not', async () => {
  const lines = [identityText(who), identityText(who)].map((text) => text.split('\n'))
  const [one = [], other = []] = lines
  const changed = one.filter((line, index) => line !== other[index]).map((line) => line.split('=')[0])
  const keys = ['dropbear_key']
  for (const name of ['random', 'machine_id', ...keys]) expect(changed).toContain(name)
  for (const name of ['instance', 'name', 'keys', 'mac', 'ip']) expect(changed).not.toContain(name)
})

test('the time is that of the host, to the second', async () => {
  const now = Number(await inShell('printf %s "$now"', identityText(who)))
  expect(Math.abs(now - Date.now() / 1000)).toBeLessThan(30)
})

test('a guest without a network of its project has the address that its hypervisor gives, and its own MAC', () => {
  expect(addressOf({})).toMatchObject({
    mac: null,
    ip: '10.0.2.15',
    gateway: '10.0.2.2',
    resolver: '10.0.2.3',
  })
})

test('a run of an earlier version has no domain', () => {
  const { domain: _, ...before } = plug
  expect(addressOf({ plug: before }).domain).toBeNull()
})
