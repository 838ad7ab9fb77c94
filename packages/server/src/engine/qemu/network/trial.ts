import { errorCode, run } from '../../../lib/command.ts'
import { derivedLimits, guestLimits, limitRules } from './guest-limits.ts'
import { frameRules, packetRules, translationRules } from './rules.ts'

/** Most of it is for hosts that are busy: right after a boot, every guest of theirs starts. */
const TRIAL_MS = 30_000

const noEnd = ['ETIMEDOUT', 'EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE']

/** Whether a trial came to no end, for want of time or of what every program takes: that says nothing about the host. */
export const isUndecided = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && noEnd.includes(String(error.code))) || isUndecided(error.cause))

const space = { first: (10 * 256 + 80) * 65_536, prefix: 14 }
const network = { bridge: 'p0', index: 0, internet: true }
const limits = limitRules(guestLimits(derivedLimits, 0))
const rules = [{ ...network, ports: [{ tap: 't0-2', mac: '52:54:00:00:00:02', ip: '10.80.0.2' }] }]

/**
 * Whether this host can have project networks: makes all that one needs, in a namespace that is removed again.
 *
 * @returns null, or what to do about it as the end of a sentence that begins with "because"; throws when it came to no end
 */
export async function whyNoProjectNetworks(): Promise<string | null> {
  const name = `slipway-trial-${process.pid}`
  const options = { timeoutMs: TRIAL_MS }
  const inside = (command: string, args: string[], input = '') =>
    run('nsenter', [`--net=/run/netns/${name}`, '--', command, ...args], { ...options, input })
  try {
    const missing = await whichIsMissing(tools)
    if (missing !== null) return missing
    await run('ip', ['netns', 'add', name], options)
    await inside('ip', ['-batch', '-'], `${links.join('\n')}\n`)
    await inside('nft', ['-f', '-'], frameRules(rules))
    await inside('nft', ['-f', '-'], packetRules(space, rules, ['192.0.2.1']) + limits)
    return null
  } catch (error) {
    if (isUndecided(error)) throw error
    return `the kernel of this host refused what they are made of (${(error as Error).message})`
  } finally {
    await run('ip', ['netns', 'delete', name], options).catch(() => {})
  }
}

const links = ['link add p0 type bridge', 'tuntap add dev t0-2 mode tap', 'link set t0-2 master p0']

/** The same for a server that does not run as root, in a user namespace of its own. */
export async function whyNoNetworksForUser(): Promise<string | null> {
  const missing = await whichIsMissing([...tools, ...toolsOfUsers])
  if (missing !== null) return missing
  const own = (command: string, args: string[], input = '') =>
    run('unshare', ['--user', '--map-root-user', '--net', '--', command, ...args], {
      timeoutMs: TRIAL_MS,
      input,
    })
  const said = (error: unknown) => {
    if (isUndecided(error)) throw error
    return `(${(error as Error).message})`
  }
  try {
    await own('ip', ['-batch', '-'], `${links[0]}\n`)
  } catch (error) {
    return `this host does not let users make namespaces ${said(error)}; sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0 may allow it`
  }
  try {
    await own('ip', ['-batch', '-'], `${links.join('\n')}\n`)
  } catch (error) {
    return `/dev/net/tun is not open to this user ${said(error)}; chmod 0666 /dev/net/tun opens it`
  }
  try {
    await own('nft', ['-f', '-'], frameRules(rules))
    await own('nft', ['-f', '-'], packetRules(space, rules, ['192.0.2.1']) + limits + translationRules())
    return null
  } catch (error) {
    return `the kernel of this host refused what project networks are made of ${said(error)}`
  }
}

async function whichIsMissing(wanted: readonly Tool[]): Promise<string | null> {
  for (const [tool, args, packages] of wanted) {
    const found = await run(tool, args, { timeoutMs: TRIAL_MS }).then(
      () => true,
      (error: unknown) => errorCode(error) !== 'ENOENT',
    )
    if (!found) return `${tool} is not installed on the host; apt-get install ${packages} brings it`
  }
  return null
}

type Tool = readonly [command: string, args: string[], packageName: string]

/** What they are made of, and the packages of Debian that have it. */
const tools: readonly Tool[] = [
  ['ip', ['-V'], 'iproute2'],
  ['nft', ['--version'], 'nftables'],
  ['nsenter', ['--version'], 'util-linux'],
  ['dnsmasq', ['--version'], 'dnsmasq-base'],
]
const toolsOfUsers: readonly Tool[] = [
  ['unshare', ['--version'], 'util-linux'],
  ['pasta', ['--version'], 'passt'],
]
