/** Root of a guest turns against the server: floods every line to it, and fills its own disk. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from './client.ts'
import { lookAt } from './look.ts'
import { privateKeyOf } from './public-key.ts'

const run = promisify(execFile)

export interface Reachable {
  address: string
  port: number
  /** Name of the SSH key that it lets in, which is the text that the key was made of. */
  key: string
}

/** The running VMs of a user, by what the API shows of them. */
export async function reachableOf(client: Client, user: number): Promise<Reachable[]> {
  const seen = (await lookAt(client, user)) ?? []
  return seen.flatMap(({ kind, object }) => {
    const { status, ip_address: address, ssh_port: port, ssh_key_name: key } = object
    if (kind !== 'vm' || status !== 'running' || typeof address !== 'string') return []
    return [{ address, port: Number(port), key: String(key) }]
  })
}

const attack = `
for port in /dev/virtio-ports/*; do
  timeout 8 sh -c "head -c 16777216 /dev/zero | tr '\\0' '[' > $port" &
done
timeout 8 sh -c 'yes flood | head -c 33554432 > /dev/ttyS0' &
timeout 8 dd if=/dev/zero of=/fill bs=1M count=256
wait
rm -f /fill
`

/** Resolves when the attack is over, or could not be begun because the guest ended. */
export async function attackFrom({ address, port, key }: Reachable): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-hostile-'))
  const file = join(dir, 'key')
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'BatchMode=yes',
    'ConnectTimeout=10',
  ]
  try {
    await writeFile(file, privateKeyOf(key), { mode: 0o600 })
    const args = ['-i', file, '-p', `${port}`, ...options.flatMap((option) => ['-o', option])]
    await run('ssh', [...args, `root@${address}`, attack], { timeout: 60_000 })
  } catch {
    // Guests are killed and frozen by other steps; that is no failure of this one.
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
