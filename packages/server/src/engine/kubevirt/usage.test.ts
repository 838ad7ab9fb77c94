import { describe, expect, test } from 'vitest'
import { bodyOf, json, refusal, serveKube } from './kube/kube-server.test-kit.ts'
import { playGround } from './streams.test-kit.ts'
import { makeUsage } from './usage.ts'
import { type Figures, podSource, prometheusSource } from './usage-sources.ts'

const figures = (processors: number): Figures => ({ processors, memoryMb: 512, disk: null, network: null })

describe('what guests use', () => {
  test('is asked of the cluster at most every 15 seconds, once at a time, and by nobody who is not asked', async () => {
    const { ground, clock, runs } = playGround()
    let looks = 0
    const { usage } = makeUsage(ground, async () => {
      looks++
      return new Map([['a', figures(1)]])
    })
    runs('a')
    await clock.advance(600_000)
    expect(looks).toBe(0)
    await Promise.all([usage('everything'), usage('processors'), usage('everything')])
    expect(looks).toBe(1)
    for (let i = 0; i < 60; i++) {
      await clock.advance(1000)
      await usage('everything')
    }
    expect(looks).toBe(5)
  })

  test('adds up processor time evenly over a run, and begins anew with the next', async () => {
    const { ground, clock, runs } = playGround()
    let processors = 1.5
    const { usage } = makeUsage(ground, async () => new Map([['a', figures(processors)]]))
    runs('a')
    const cpuMs = async () => (await usage('everything')).get('a')?.cpuMs
    expect(await cpuMs()).toBe(0)
    await clock.advance(10_000)
    expect(await cpuMs()).toBe(15_000)
    await clock.advance(10_000)
    expect(await cpuMs()).toBe(30_000)
    processors = 0
    await clock.advance(20_000)
    expect(await cpuMs()).toBe(30_000)
    expect((await usage('everything')).get('a')).toEqual({
      run: 'a-1',
      cpuMs: 30_000,
      memoryMb: 512,
      disk: null,
      network: null,
    })
    expect((await usage('processors')).get('a')).toMatchObject({ memoryMb: null })
    runs('a', 'a-2')
    expect((await usage('everything')).get('a')).toMatchObject({ run: 'a-2', cpuMs: 0 })
  })

  test('is left out, with the reason, where it cannot be measured; old figures are not told for long', async () => {
    const { ground, clock, runs } = playGround()
    let works = false
    const usage = makeUsage(ground, async () => {
      if (!works) throw new Error('There are no metrics.')
      return new Map([
        ['a', figures(1)],
        ['stopped', figures(1)],
      ])
    })
    runs('a')
    expect(usage.trouble()).toBeNull()
    expect((await usage.usage('everything')).size).toBe(0)
    expect(usage.trouble()).toBe('There are no metrics.')
    works = true
    await clock.advance(15_000)
    expect([...(await usage.usage('everything')).keys()]).toEqual(['a'])
    expect(usage.trouble()).toBeNull()
    works = false
    await clock.advance(30_000)
    expect((await usage.usage('everything')).size).toBe(1)
    await clock.advance(60_000)
    expect((await usage.usage('everything')).size).toBe(0)
  })
})

describe('the metrics API of a cluster', () => {
  test('is asked for all launcher pods of ours in one call', async () => {
    const asked: string[] = []
    const kube = await serveKube((_request, answer, url) => {
      asked.push(`${url.pathname}?${url.searchParams}`)
      const pod = (id: string, cpu: string, memory: string) => ({
        metadata: { name: `virt-launcher-${id}`, labels: { 'slipway.org/id': id } },
        containers: [
          { name: 'guest-console-log', usage: { cpu: '1', memory: '1Gi' } },
          { name: 'compute', usage: { cpu, memory } },
        ],
      })
      json(answer, 200, {
        metadata: {},
        items: [pod('a', '250000000n', '262144Ki'), pod('b', '1', '1Gi'), pod('b', '500m', '2Gi')],
      })
    })
    const { ground } = playGround()
    const found = await podSource({ ...ground, client: kube.client() })()
    expect(asked).toEqual([
      '/apis/metrics.k8s.io/v1beta1/pods?labelSelector=slipway.org%2Finstallation%3Dslipway',
    ])
    expect(found).toEqual(
      new Map([
        ['a', { processors: 0.25, memoryMb: 256, disk: null, network: null }],
        ['b', { processors: 1.5, memoryMb: 2048, disk: null, network: null }],
      ]),
    )
  })

  test.each([
    [404, 'NotFound', /^The cluster has no metrics API .* metrics-server/],
    [403, 'Forbidden', /does not allow Slipway/],
  ] as const)('that is missing is named: %s', async (status, reason, sentence) => {
    const kube = await serveKube((_request, answer) => refusal(answer, status, reason, 'no'))
    const { ground } = playGround()
    await expect(podSource({ ...ground, client: kube.client() })()).rejects.toThrow(sentence)
  })
})

describe('Prometheus', () => {
  const sample = (figure: string, value: string, name = 'vm-a') => ({
    metric: { namespace: 'slipway-p', name, figure },
    value: [1_790_000_000.5, value],
  })

  test('has everything, in one question', async () => {
    const asked: string[] = []
    const server = await serveKube(async (request, answer, url) => {
      asked.push(url.pathname, new URLSearchParams(await bodyOf(request)).get('query') ?? '')
      json(answer, 200, {
        data: {
          result: [
            sample('processors', '0.5'),
            sample('available', String(1024 ** 3)),
            sample('usable', String(768 * 1024 ** 2)),
            sample('resident', '9'),
            sample('read', '10'),
            sample('written', '20'),
            sample('received', '30'),
            sample('sent', '40'),
            sample('processors', '1', 'vm-of-somebody-else'),
            sample('resident', '1048576', 'vm-b'),
            sample('processors', 'NaN', 'vm-b'),
          ],
        },
      })
    })
    const { ground, runs } = playGround()
    runs('a')
    runs('b')
    const found = await prometheusSource(ground, 'slipway', server.cluster.server.href)()
    expect(found).toEqual(
      new Map([
        [
          'a',
          {
            processors: 0.5,
            memoryMb: 256,
            disk: { read: 10, written: 20 },
            network: { received: 30, sent: 40, at: 1_790_000_000_500 },
          },
        ],
      ]),
    )
    expect(asked[0]).toBe('/api/v1/query')
    expect(asked[1]).toContain(
      'rate(kubevirt_vmi_cpu_usage_seconds_total{namespace=~"slipway-.*"}[2m])), "figure", "processors", "", "") or ',
    )
  })

  test('that fails is named', async () => {
    const server = await serveKube((_request, answer) => answer.writeHead(503).end('no'))
    const { ground } = playGround()
    await expect(prometheusSource(ground, 'slipway', server.cluster.server.href)()).rejects.toThrow(
      'Prometheus answered 503 (SLIPWAY_PROMETHEUS_URL).',
    )
    await expect(prometheusSource(ground, 'slipway', 'http://127.0.0.1:1')()).rejects.toThrow(
      'Prometheus does not respond (SLIPWAY_PROMETHEUS_URL).',
    )
  })
})
