import { run } from '../../../lib/command.ts'
import { frameRules, packetRules } from './rules.ts'
import { isMissing } from './uplink.ts'

const TRIAL_MS = 10_000
const space = { first: (10 * 256 + 80) * 65_536, prefix: 14 }
const network = { bridge: 'p0', index: 0, internet: true }
const rules = [{ ...network, ports: [{ tap: 't0-2', mac: '52:54:00:00:00:02', ip: '10.80.0.2' }] }]

/**
 * Whether this host can have project networks: makes all that one needs, in a namespace that is removed again.
 *
 * @returns null, or what to do about it as the end of a sentence that begins with "because"
 */
export async function whyNoProjectNetworks(): Promise<string | null> {
  const name = `slipway-trial-${process.pid}`
  const options = { timeoutMs: TRIAL_MS }
  const inside = (command: string, args: string[], input = '') =>
    run('nsenter', [`--net=/run/netns/${name}`, '--', command, ...args], { ...options, input })
  try {
    for (const [tool, args, packages] of tools) {
      const found = await run(tool, args, options).then(
        () => true,
        (error: unknown) => !isMissing(error),
      )
      if (!found) return `${tool} is not installed on the host; apt-get install ${packages} brings it`
    }
    await run('ip', ['netns', 'add', name], options)
    const links = ['link add p0 type bridge', 'tuntap add dev t0-2 mode tap', 'link set t0-2 master p0']
    await inside('ip', ['-batch', '-'], `${links.join('\n')}\n`)
    await inside('nft', ['-f', '-'], frameRules(rules))
    await inside('nft', ['-f', '-'], packetRules(space, rules, ['192.0.2.1']))
    return null
  } catch (error) {
    return `the kernel of this host refused what they are made of (${(error as Error).message})`
  } finally {
    await run('ip', ['netns', 'delete', name], options).catch(() => {})
  }
}

/** What they are made of, and the packages of Debian that have it. */
const tools = [
  ['ip', ['-V'], 'iproute2'],
  ['nft', ['--version'], 'nftables'],
  ['nsenter', ['--version'], 'util-linux'],
  ['dnsmasq', ['--version'], 'dnsmasq-base'],
] as const
