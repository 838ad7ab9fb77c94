/** The ground of a server that runs as root: a named namespace, a veth that leads out of it, and a forwarder of names. */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Range } from '../../../lib/address-range.ts'
import type { Ground } from './ground.ts'
import { routesOfHost } from './host-addresses.ts'
import { isAddressInUse, makeNameServer } from './name-server.ts'
import { FORWARDER, FORWARDER_PORT, fileNamesIn, forwarderSettings } from './names.ts'
import { claimedRanges, claimRange, namespaceOf, OWNER, removeNamespace, tableOnHost } from './namespace.ts'
import { hostRules } from './rules.ts'
import { uplinkOf } from './space.ts'
import { SpaceTakenError } from './space-taken.ts'
import { ensureUplink } from './uplink.ts'

export function makeRootGround(dataDir: string): Ground {
  const namespace = namespaceOf(dataDir)
  const { name, link, files, inside, outside } = namespace
  const onHost = tableOnHost(namespace)
  const forwarderFiles = fileNamesIn(files, FORWARDER)
  const forwarder = makeNameServer(forwarderFiles, outside)

  async function serveForwarder(space: Range): Promise<'stood' | 'put back'> {
    const settings = forwarderSettings(space, forwarderFiles)
    return forwarder.ensure({ settings, names: '', leases: '' }).catch((error: unknown) => {
      throw isAddressInUse(error) ? new SpaceTakenError(error) : error
    })
  }

  return {
    files,
    reach: 'route',
    user: 'nobody',
    entry: () => namespace.entry,
    isThere: namespace.isThere,
    async make() {
      await mkdir(files, { recursive: true })
      await chmod(files, 0o755)
      await writeFile(join(files, OWNER), dataDir)
      if (!(await namespace.isThere())) await namespace.make()
    },
    remove: () => removeNamespace(namespace),
    inside,
    takenRanges: async () => [...(await routesOfHost(link)), ...(await claimedRanges(namespace))],
    async ensureWayOut(space) {
      const wasMissing = await ensureUplink(namespace, space)
      await claimRange(namespace, space)
      return wasMissing
    },
    async keepWayOut(space) {
      const back: string[] = []
      if ((await onHost.ensure(hostRules(name, link, space))) === 'put back') back.push('firewall rules')
      if ((await serveForwarder(space)) === 'put back') back.push('the forwarder of names')
      return back
    },
    resolver: (space) => `${uplinkOf(space).host}#${FORWARDER_PORT}`,
  }
}
