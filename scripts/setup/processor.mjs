import { readdirSync, readFileSync } from 'node:fs'

/** What /proc counts in, on every kind of processor that Node.js runs on under Linux. */
const TICKS_PER_SECOND = 100

/** Parent and seconds of one process; null when it has ended. */
function read(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Behind the name, which may contain anything; proc(5) counts the fields from 1, the first here is the third.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const seconds = (first) => (Number(fields[first - 3]) + Number(fields[first - 2])) / TICKS_PER_SECOND
    return { parent: Number(fields[1]), own: seconds(14), ofEnded: seconds(16) }
  } catch {
    return null
  }
}

/** Seconds of a processor that the children of this process used, and theirs, which have ended and were waited for. */
export const secondsOfEnded = () => read('self')?.ofEnded ?? 0

/** The same and its own. */
export function secondsOfProcess() {
  const found = read('self')
  return found ? found.own + found.ofEnded : 0
}

/**
 * Seconds of a processor that this process used and everything that it began, whether that has ended or not. What has left it
 * does not count: a guest of QEMU belongs to the host.
 */
export function secondsOfTree() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const all = new Map(pids.flatMap((pid) => [[Number(pid), read(pid)]]).filter(([, found]) => found))
  const isOurs = (pid) => {
    for (let at = pid, depth = 0; depth < 32; depth++) {
      if (at === process.pid) return true
      at = all.get(at)?.parent ?? 0
      if (at === 0) return false
    }
    return false
  }
  return [...all].filter(([pid]) => isOurs(pid)).reduce((sum, [, { own, ofEnded }]) => sum + own + ofEnded, 0)
}
