/**
 * Addresses of the Internet that this host leads to nobody for a while: what guests send there passes all rules and is
 * tracked as a connection, and is neither answered nor sent to whoever has the addresses. Only for root.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlink } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A /24 outside all special ranges, and beside that of the tests of networks. */
export const nowhere = '11.78.0'

/** Longer than anything that is sent there. */
const mostSeconds = 120

/**
 * Leads there until it is closed. The far end of the link is in a namespace of a process that ends by itself, and the link
 * and its route end with that: nothing is left of a campaign that was killed.
 */
export async function openNowhere(): Promise<{ close: () => Promise<void> }> {
  const holder = spawn('unshare', ['--net', 'sleep', `${mostSeconds}`], { stdio: 'ignore' })
  const ended = once(holder, 'exit')
  const link = `nowhere-${process.pid}`
  async function close(): Promise<void> {
    // The end of a namespace is not waited for.
    await run('ip', ['link', 'delete', link]).catch(() => {})
    holder.kill('SIGKILL')
    await ended
  }
  try {
    await Promise.race([
      isApart(holder.pid),
      ended.then(() => {
        throw new Error('This host gives no network namespace')
      }),
    ])
    await run('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'end', 'netns', `${holder.pid}`])
    // Without an address of its own, and without asking who has those that packets go to.
    await run('ip', ['link', 'set', link, 'addrgenmode', 'none', 'arp', 'off', 'up'])
    await run('nsenter', [`--net=/proc/${holder.pid}/ns/net`, 'ip', 'link', 'set', 'end', 'arp', 'off', 'up'])
    await run('ip', ['route', 'append', `${nowhere}.0/24`, 'dev', link])
  } catch (error) {
    await close()
    throw error
  }
  return { close }
}

/** Until then it is in our namespace. */
async function isApart(pid: number | undefined): Promise<void> {
  const of = (one: string) => readlink(`/proc/${one}/ns/net`)
  const ours = await of('self')
  while ((await of(`${pid}`)) === ours) await sleep(5)
}
