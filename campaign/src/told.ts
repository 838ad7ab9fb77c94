/**
 * Loaded into the server of a campaign before its own code, in each of its threads: shows it another time and less
 * free memory of the host than there is, as the file in `CAMPAIGN_TOLD` says at any moment. The product knows nothing
 * of it. What is counted from the start of the process, and timers, go on as they are, as when a clock is set.
 */
import { readFileSync } from 'node:fs'
import type { Told } from './host.ts'

/** How often the file is read. */
const everyMs = 100

const file = process.env.CAMPAIGN_TOLD ?? ''
let told: Told = { clockMs: 0, freeMb: null }

function read(): void {
  try {
    told = JSON.parse(readFileSync(file, 'utf8')) as Told
  } catch {
    // Out of descriptors, most likely: it stays as it was.
  }
}
read()
setInterval(read, everyMs).unref()

const RealDate = Date
const realNow = Date.now
const now = () => realNow() + told.clockMs
RealDate.now = now
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
})

const realMemory = process.availableMemory.bind(process)
process.availableMemory = () =>
  Math.min(realMemory(), told.freeMb === null ? Number.POSITIVE_INFINITY : told.freeMb * 1024 ** 2)
