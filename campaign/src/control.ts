/** Measures all the time how late this host lets a program be that does next to nothing, on the disk of the servers. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { makeClient } from './client.ts'
import type { Host } from './host.ts'
import { excusedBetween, onTimeMs, type Round } from './yardstick.ts'

export interface Control {
  /** Milliseconds that a call may take longer which was under way between these times of `performance`. */
  excused: (from: number, to: number) => Promise<number>
  end: () => Promise<void>
}

/** Between two rounds, unless the one before was late. */
const pauseMs = 100
/** Longer than any call is waited for. */
const keptMs = 60_000
/** What the kernel counts processor time in. */
const tickMs = 10

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

interface Uses {
  /** By process: how long its main thread waited for a processor, and what all of its threads used. */
  processes: Map<number, { waited: number; used: number }>
  /** What everybody used. */
  all: number
}

/** Of the servers, and of this process, which waits for their answers. */
async function usesOf(host: Pick<Host, 'processes'>): Promise<Uses> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => null)
  const processes: Uses['processes'] = new Map()
  for (const pid of [process.pid, ...(await host.processes())]) {
    const [scheduled, stat] = await Promise.all([
      read(`/proc/${pid}/task/${pid}/schedstat`),
      read(`/proc/${pid}/stat`),
    ])
    if (scheduled === null || stat === null) continue
    // Behind the name, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const used = (Number(fields[11]) + Number(fields[12])) * tickMs
    processes.set(pid, { waited: Number(scheduled.split(' ')[1]) / 1e6, used })
  }
  const [first = ''] = (await read('/proc/stat'))?.split('\n') ?? []
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = first
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return { processes, all: (user + nice + system + irq + softirq + steal) * tickMs }
}

/** What the processors did between two looks; of processes that were there both times. */
function usedBetween(before: Uses, after: Uses): Pick<Round, 'waited' | 'byServers' | 'byOthers'> {
  const both = [...after.processes].flatMap(([pid, now]) => {
    const then = before.processes.get(pid)
    return then ? [{ pid, waited: now.waited - then.waited, used: now.used - then.used }] : []
  })
  const byServers = sum(both.map(({ pid, used }) => (pid === process.pid ? 0 : used)))
  return {
    waited: sum(both.map(({ waited }) => waited)),
    byServers,
    byOthers: Math.max(0, after.all - before.all - byServers),
  }
}

export async function startControl(host: Pick<Host, 'dataDir' | 'processes'>): Promise<Control> {
  const path = join(host.dataDir, 'campaign-control')
  const program = spawn(
    process.execPath,
    [fileURLToPath(import.meta.resolve('./control.program.ts')), path],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const ended = once(program, 'exit').then(() => {
    throw new Error('The control ended before it was ready')
  })
  const [said] = await Promise.race([once(program.stdout, 'data'), ended])
  ended.catch(() => {})
  const client = makeClient(() => `http://127.0.0.1:${Number(String(said))}`, '127.0.0.1')
  const rounds: Round[] = []
  let on = true
  let before = await usesOf(host)
  let from = performance.now()
  let planned = from

  async function measure(): Promise<void> {
    const answer = await client.send({ method: 'GET', path: '/' })
    const control = performance.now() - planned
    const after = await usesOf(host)
    const to = performance.now()
    const disk = Number(answer?.text ?? 0)
    rounds.push({ from, to, control, disk, ...usedBetween(before, after) })
    while ((rounds[0]?.to ?? to) < to - keptMs) rounds.shift()
    before = after
    from = to
    planned = to + (control > onTimeMs ? 0 : pauseMs)
  }

  let round = measure()
  const measuring = (async () => {
    while (on) {
      await round
      if (planned > performance.now()) await sleep(planned - performance.now())
      round = measure()
    }
    await round
  })()
  return {
    async excused(since, until) {
      // What is not measured yet may be the very reason.
      while (on && from < until) await sleep(pauseMs)
      return excusedBetween(rounds, since, until)
    },
    async end() {
      on = false
      await measuring
      client.close()
      // Or it has ended by itself.
      const exit = program.exitCode ?? program.signalCode ?? once(program, 'exit')
      program.kill()
      await exit
      await rm(path, { force: true })
    },
  }
}
