/** What addresses the host has, and which it has routes to. */
import { networkInterfaces } from 'node:os'
import { z } from 'zod'
import { parseRange, type Range } from '../../../lib/address-range.ts'
import { run } from '../../../lib/command.ts'

const COMMAND_MS = 10_000

const Routes = z.array(z.object({ dst: z.string().optional(), dev: z.string().optional() }))

/** What the host has routes to, but for those over one link; the default route leads to none of them. */
export async function routesOfHost(link: string | null): Promise<Range[]> {
  const args = ['-json', '-4', 'route', 'show', 'table', 'all']
  const printed = await run('ip', args, { timeoutMs: COMMAND_MS })
  return Routes.parse(JSON.parse(printed || '[]')).flatMap(({ dst = '', dev }) => {
    const range = dev === link ? null : parseRange(dst)
    return range ? [range] : []
  })
}

/** IPv4 addresses of this host. */
export const addressesOfHost = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).flatMap(({ family, address }) => (family === 'IPv4' ? [address] : [])),
  )
