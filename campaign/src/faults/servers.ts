/** Of several servers some end or stand still, and what they share is away: the others go on. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '@slipway/e2e/random'
import { allOf, type Fleet, type Member } from '../fleet.ts'
import { type Fault, signal } from './fault.ts'

const engines = ['simulated', 'kubevirt'] as const

/** Ends the server that drives. It comes back before or after another one has taken over. */
async function endDriver(fleet: Fleet, random: Random, how: 'kill' | 'stop'): Promise<void> {
  const driver = await fleet.driver()
  const over = fleet.trouble('nobody drives')
  try {
    const began = Date.now()
    const ended = driver.lives.end(how)
    const drives = async (): Promise<void> => {
      await fleet.driver(driver)
      fleet.takeovers.push(Date.now() - began)
    }
    const comesBack = async (): Promise<void> => {
      await endsWithin(ended)
      if (random.chance(0.5)) await sleep(random.below(8_000))
      await fleet.start()
    }
    await allOf([drives(), comesBack()])
  } finally {
    over()
  }
}

const endMs = 20_000
async function endsWithin(ended: Promise<void>): Promise<void> {
  const late = sleep(endMs, 'late', { ref: false })
  if ((await Promise.race([ended, late])) === 'late') throw new Error('A server told to end does not')
}

/** Waits until it has ended because another one drives, and takes it away. */
async function endsByItself({ lives }: Member): Promise<void> {
  const until = Date.now() + endMs
  while (!lives.hasEnded) {
    if (Date.now() > until) throw new Error('A server that lost its lease goes on')
    await sleep(50)
  }
  const { server } = lives
  await lives.end('kill')
  if (!server?.output().includes('has taken over'))
    throw new Error('A server that lost its lease ended without saying so')
}

/** Seconds that PostgreSQL is away; mostly few. */
const awayS = [1, 2, 4, 8, 15, 60]

export const ofServers: readonly Fault<Fleet>[] = [
  {
    name: 'kill-driver',
    weight: 6,
    engines,
    harsh: false,
    deal: (fleet, random) => endDriver(fleet, random, 'kill'),
  },
  {
    name: 'stop-driver',
    weight: 3,
    engines,
    harsh: false,
    deal: (fleet, random) => endDriver(fleet, random, 'stop'),
  },
  {
    name: 'kill-standby',
    weight: 3,
    engines,
    harsh: false,
    async deal(fleet, random) {
      const driver = await fleet.driver()
      await random.pick(fleet.members.filter((one) => one !== driver))?.lives.end('kill')
      await sleep(random.below(3_000))
      await fleet.start()
    },
  },
  {
    name: 'freeze-driver',
    weight: 2,
    engines,
    harsh: false,
    // Its timers end at once what waited meanwhile, and it may hold up what others write.
    logged: true,
    async deal(fleet, random) {
      const driver = await fleet.driver()
      const over = fleet.trouble('stands still')
      try {
        signal(driver.lives.server?.pid, 'SIGSTOP')
        const began = Date.now()
        // It takes a balancer a moment to notice.
        await sleep(random.below(2_000))
        driver.isLeftOut = true
        await fleet.driver(driver)
        fleet.takeovers.push(Date.now() - began)
        await sleep(random.below(5_000))
        signal(driver.lives.server?.pid, 'SIGCONT')
        await endsByItself(driver)
        await fleet.start()
      } finally {
        signal(driver.lives.server?.pid, 'SIGCONT')
        driver.isLeftOut = false
        over()
      }
    },
  },
  {
    name: 'stop-database',
    weight: 2,
    engines,
    harsh: false,
    logged: true,
    async deal(fleet, random) {
      const over = fleet.trouble('database away')
      try {
        await fleet.postgres.stop()
        await sleep((random.pick(awayS) ?? 1) * 1_000)
        await fleet.postgres.start()
        // Servers that took their connections for good may have a few seconds.
        await fleet.answers()
        await fleet.driver()
        await fleet.start()
      } finally {
        over()
      }
    },
  },
  {
    name: 'kill-all',
    weight: 1,
    engines,
    harsh: false,
    async deal(fleet) {
      const over = fleet.trouble('down')
      try {
        await Promise.all(fleet.members.map(({ lives }) => lives.end('kill')))
        await fleet.start()
        await fleet.driver()
      } finally {
        over()
      }
    },
  },
  {
    name: 'kill-world',
    weight: 2,
    engines: ['simulated'],
    harsh: false,
    logged: true,
    async deal(fleet, random) {
      const over = fleet.trouble('nobody drives')
      try {
        await fleet.beside.kill()
        await sleep(random.below(4_000))
        await fleet.start()
      } finally {
        over()
      }
    },
  },
  {
    name: 'kill-recorder',
    weight: 2,
    engines: ['kubevirt'],
    harsh: false,
    // Nobody but who looks at a console waits for it.
    async deal(fleet, random) {
      await fleet.beside.kill()
      await sleep(random.below(4_000))
      await fleet.start()
    },
  },
]
