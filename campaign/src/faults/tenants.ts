/** Tenants who do their worst: accounts that flood the API, together with guests that flood the host's networks. */
import { setTimeout as sleep } from 'node:timers/promises'
import { accountExportApi, activityApi, diskApi, quotaApi, usageApi } from '@slipway/contract'
import type { Random } from '@slipway/e2e/random'
import { type Client, makeClient, requestOf } from '../client.ts'
import type { Host, OneServer } from '../host.ts'
import { attackFrom } from '../hostile-guest.ts'
import { openNowhere } from '../nowhere.ts'
import { everywhere, type Fault, type Hostile } from './fault.ts'

const floodMs = 8_000
/** Below the limit of connections per address, in all. */
const connections = 60

/** The longest answers that an account can ask for. */
const longAnswers = (projectId: string) => [
  requestOf(diskApi.list, { params: { projectId } }),
  requestOf(accountExportApi.get),
  requestOf(activityApi.ofAccount),
  requestOf(usageApi.ofProject, { params: { projectId } }),
  requestOf(quotaApi.ofAccount),
]

/** Asks for one long answer again and again over many connections, with the session of an account. */
async function flood(host: Host, { client, projectId, floods }: Hostile, which: number): Promise<void> {
  const until = Date.now() + floodMs
  const clients: Client[] = Array.from({ length: connections / 4 }, () =>
    Object.assign(
      makeClient(() => host.url, client.from),
      { cookie: client.cookie },
    ),
  )
  const answers = longAnswers(projectId)
  const request = answers[which % answers.length]
  if (!request) return
  const end = floods()
  await Promise.all(
    Array.from({ length: connections }, async (_, n) => {
      // A server that is down, or refuses, is not asked in a tight loop.
      while (Date.now() < until)
        if ((await clients[n % clients.length]?.send(request))?.status !== 200) await sleep(10)
    }),
  )
  for (const one of clients) one.close()
  end()
}

/** Two different ones, where there are so many. */
function twoOf<T>(random: Random, all: readonly T[]): T[] {
  const first = random.pick(all)
  const second = random.pick(all.filter((one) => one !== first))
  return [first, second].filter((one) => one !== undefined)
}

export const ofTenants: readonly Fault<Host>[] = [
  {
    name: 'hostile-accounts',
    weight: 3,
    engines: everywhere,
    harsh: false,
    async deal(host, random, { accounts }) {
      await Promise.all(twoOf(random, accounts).map((account) => flood(host, account, random.below(5))))
    },
  },
]

export const ofTenantsWithGuests: readonly Fault<OneServer>[] = [
  {
    name: 'hostile-tenants',
    weight: 2,
    engines: ['qemu'],
    harsh: true,
    missing: () => (process.getuid?.() === 0 ? null : 'only root leads addresses of the Internet to nobody'),
    async deal(host, random, { accounts, guests }) {
      const attackers = twoOf(random, await guests())
      const { close } = await openNowhere()
      try {
        await Promise.all([
          ...twoOf(random, accounts).map((account) => flood(host, account, random.below(5))),
          ...attackers.map((guest) => attackFrom(guest, 'connections')),
        ])
      } finally {
        await close()
      }
    },
  },
]
