/** What the journeys with disks and snapshots stand on: what there is, what lies on the host, and images to fetch. */
import { readdir, readFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@playwright/test'
import {
  type Disk,
  type DiskSnapshot,
  diskApi,
  diskSnapshotApi,
  type Vm,
  type VmSnapshot,
  vmApi,
  vmSnapshotApi,
} from '@slipway/contract'
import type { Owner } from './owner.ts'

export interface Belongings {
  vms: Vm[]
  disks: Disk[]
  vmSnapshots: VmSnapshot[]
  diskSnapshots: DiskSnapshot[]
}

export const nothing: Belongings = { vms: [], disks: [], vmSnapshots: [], diskSnapshots: [] }

export async function belongingsOf({ must, params }: Owner): Promise<Belongings> {
  const [vms, disks, vmSnapshots, diskSnapshots] = await Promise.all([
    must(vmApi.list, { params }),
    must(diskApi.list, { params, query: {} }),
    must(vmSnapshotApi.list, { params, query: {} }),
    must(diskSnapshotApi.list, { params, query: {} }),
  ])
  return { vms, disks, vmSnapshots, diskSnapshots }
}

const underWay = ['pending', 'creating', 'provisioning', 'starting', 'stopping', 'deleting']

/** Waits until no status will change by itself. */
export async function rest(owner: Owner): Promise<Belongings> {
  let seen: Belongings | undefined
  await expect
    .poll(
      async () => {
        seen = await belongingsOf(owner)
        return Object.values(seen)
          .flat()
          .filter(({ status }) => underWay.includes(status))
          .map(({ name, status, status_message }) => `${name} ${status} ${status_message ?? ''}`)
      },
      { intervals: [200] },
    )
    .toEqual([])
  if (!seen) throw new Error('nothing was seen')
  return seen
}

/** Those that something is kept of. */
export const usable = <T extends { status: string }>(list: T[]) =>
  list.filter(({ status }) => status !== 'failed')

const namesIn = (dir: string) => readdir(dir).catch((): string[] => [])

/**
 * Names of what lies in a data directory and belongs to no VM, disk or snapshot of its only owner. A snapshot that
 * was deleted may stay as long as others build upon it.
 */
export async function strays(dataDir: string, had: Belongings): Promise<string[]> {
  const found: string[] = []
  async function look(dir: string, owners: { id: string }[], leaves: RegExp): Promise<void> {
    const ids = new Set(owners.map(({ id }) => id))
    for (const name of await namesIn(join(dataDir, dir))) {
      if (name !== '.slipway' && !ids.has(name.replace(leaves, ''))) found.push(`${dir}/${name}`)
    }
  }
  await look('machines', had.vms, /$/)
  await look('volumes', usable(had.disks), /\.qcow2$/)
  await look('snapshots', usable(had.vmSnapshots), /$/)
  await look('volume-snapshots', usable(had.diskSnapshots), /\.(qcow2|json)$/)
  await look('orphans', [], /$/)
  await look('imports', [], /$/)
  await look('daemons', [], /$/)
  for (const { id } of had.vms) {
    const left = (await namesIn(join(dataDir, 'machines', id))).filter((name) =>
      /^(restore|swap\.json|lent-.*|memory|.*\.new)$/.test(name),
    )
    found.push(...left.map((name) => `machines/${id}/${name}`))
  }
  return found
}

/** For a guest's shell: the device that a disk is there, empty when it has no such disk. */
export const deviceOf = (disk: Pick<Disk, 'id'>) =>
  `$(grep -lsx ${disk.id.slice(0, 20)} /sys/block/vd*/serial | sed 's,/sys/block/,/dev/,; s,/serial,,')`

/** Waits until a guest sees a disk that was attached to it. */
export async function untilSeen(owner: Owner, vmId: string, disk: Pick<Disk, 'id'>): Promise<void> {
  const look = `[ -n "${deviceOf(disk)}" ] && exit 0`
  await owner.inGuest(vmId, `for i in $(seq 200); do ${look}; sleep 0.1; done; exit 1`)
}

/** A web server on loopback with these files; `slow` ones take so many milliseconds for each MiB. */
export async function serveFiles(
  files: Record<string, { path: string; slowMs?: number }>,
): Promise<{ url: string; close: () => void }> {
  const server = http.createServer(async (request, response) => {
    const file = files[request.url?.slice(1) ?? '']
    if (!file) return response.writeHead(404).end()
    const bytes = await readFile(file.path)
    response.setHeader('content-length', bytes.length)
    const step = file.slowMs === undefined ? bytes.length : 1024 * 1024
    for (let at = 0; at < bytes.length && !response.destroyed; at += step) {
      response.write(bytes.subarray(at, at + step))
      if (file.slowMs !== undefined) await sleep(file.slowMs)
    }
    return response.end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  // A server that listens on TCP has an address of this shape.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
