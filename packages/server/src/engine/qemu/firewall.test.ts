import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { specialRangesV4 } from '../../image/download-policy.ts'
import { run } from '../../lib/command.ts'
import { makeFirewall, ruleset, watchFirewall } from './firewall.ts'

test('the rules name the user of the guests, and resolvers before what is refused', () => {
  const rules = ruleset(999, ['10.0.0.53', '::1', '192.168.1.1'])
  expect(rules).toContain('meta skuid 999 jump guests')
  expect(rules.indexOf('ip daddr { 10.0.0.53, 192.168.1.1 }')).toBeGreaterThan(0)
  expect(rules.indexOf('th dport 53 accept')).toBeLessThan(rules.indexOf('oifname "lo"'))
})

test('without a resolver no door is left open for name resolution', () => {
  expect(ruleset(999, ['::1'])).not.toContain('dport 53')
})

test('guests get nowhere that images are not fetched from', () => {
  for (const [network, prefix] of specialRangesV4) expect(ruleset(999, [])).toContain(`${network}/${prefix}`)
  expect(ruleset(999, [])).toContain('198.18.0.0/15')
})

test('rules that cannot be put in force let no guest start', async () => {
  const firewall = makeFirewall({ nft: () => Promise.reject(new Error('no nft')), resolvers: () => [] })
  await expect(firewall.ensure(999)).rejects.toMatchObject({
    name: 'EngineError',
    retryable: true,
    message: expect.stringContaining('firewall rules'),
  })
})

const usable = await run('unshare', ['-n', 'nft', 'list', 'tables']).then(
  () => true,
  () => false,
)

describe.skipIf(!usable)('the rules in a network of their own', () => {
  let holder: ChildProcess
  const nft = (args: readonly string[], input = '') =>
    run('nsenter', ['-t', String(holder.pid), '-n', 'nft', ...args], { input })
  const listed = () => nft(['list', 'ruleset'])

  beforeEach(async () => {
    holder = spawn('unshare', ['-n', 'sleep', '600'])
    for (;;) {
      // Until then it is in ours.
      const names = await Promise.all(
        ['self', holder.pid].map((pid) => run('readlink', [`/proc/${pid}/ns/net`])),
      )
      if (names[0] !== names[1]) break
      await sleep(5)
    }
  })
  afterEach(() => holder.kill('SIGKILL'))

  test('stand once they were put in force, and are put back when somebody flushes or changes them', async () => {
    const firewall = makeFirewall({ nft, resolvers: () => ['10.0.0.53'] })
    expect(await firewall.ensure(999)).toBe('put in force')
    expect(await firewall.ensure(999)).toBe('stood')
    const whole = await listed()
    for (const damage of [
      ['flush', 'ruleset'],
      ['flush', 'chain', 'inet', 'slipway', 'refuse'],
      ['insert', 'rule', 'inet', 'slipway', 'guests', 'accept'],
    ]) {
      await nft(damage)
      expect(await listed()).not.toBe(whole)
      expect(await firewall.ensure(999)).toBe('put in force')
      expect(await listed()).toBe(whole)
    }
  })

  test('are watched while there is a guest, and what was put back is told', async () => {
    const firewall = makeFirewall({ nft, resolvers: () => [] })
    await firewall.ensure(999)
    const told: string[] = []
    let guests = 0
    const stop = watchFirewall({
      ensure: () => firewall.ensure(999),
      isNeeded: () => guests > 0,
      log: { warn: (text: unknown) => told.push(String(text)), error: () => {} },
      everyMs: 5,
    })
    await nft(['flush', 'ruleset'])
    await sleep(50)
    expect(await listed()).toBe('')
    guests = 1
    while (!(await listed()).includes('table inet slipway')) await sleep(5)
    while (told.length === 0) await sleep(5)
    stop()
    expect(told).toEqual([expect.stringContaining('put back')])
  })
})
