import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeHandClock } from './hand-clock.ts'
import { type JobKind, type JobRequest, jobPlaces, makeJobs } from './jobs.ts'

/** Jobs that end when the test says so, and the order in which they began. */
function openJobs(clock = makeHandClock()) {
  const begun: string[] = []
  const settled: string[] = []
  const changes: string[] = []
  const ends = new Map<string, { resolve: (value: string) => void; reject: (error: Error) => void }>()
  const jobs = makeJobs({
    clock,
    onChange: ({ id, state, progress }) => changes.push(`${id} ${state} ${progress}`),
  })
  const start = (id: string, projectId = 'p', more: Partial<JobRequest<string>> & { kind?: JobKind } = {}) =>
    jobs.start<string>({
      id,
      kind: 'fetch',
      subject: {
        action: 'disk.create',
        type: 'disk',
        id,
        name: id,
        projectId,
        ownerId: `owner of ${projectId}`,
      },
      run({ signal }) {
        begun.push(id)
        return new Promise<string>((resolve, reject) => {
          ends.set(id, { resolve, reject })
          signal.addEventListener('abort', () => reject(new Error(`${id} was ended`)))
        })
      },
      onSettled: () => settled.push(id),
      ...more,
    })
  return {
    jobs,
    begun,
    settled,
    changes,
    start,
    async end(id: string, error?: Error) {
      if (error) ends.get(id)?.reject(error)
      else ends.get(id)?.resolve(`made ${id}`)
      await setImmediate()
    },
  }
}

const many = (count: number) => Array.from({ length: count }, (_, i) => i)

test('no project fills a pool alone, and all of them together fill it to its size', async () => {
  const { begun, start } = openJobs()
  for (const i of many(20)) start(`a${i}`, 'a')
  await setImmediate()
  expect(begun).toEqual(['a0', 'a1'])
  for (const i of many(20)) start(`b${i}`, `project ${i}`)
  await setImmediate()
  expect(begun).toHaveLength(jobPlaces.fetch.inAll)
})

test('many projects of one owner count as one', async () => {
  const { begun, start } = openJobs()
  for (const i of many(20)) {
    const id = `a${i}`
    const subject = { action: 'disk.create', type: 'disk', id, name: id, projectId: `project ${i}` }
    start(id, '', { subject: { ...subject, ownerId: 'ada' } })
  }
  start('b', 'of bob')
  await setImmediate()
  expect(begun).toEqual(['a0', 'a1', 'b'])
})

test('a pool that is full does not keep another kind waiting', async () => {
  const { begun, start } = openJobs()
  for (const i of many(100)) start(`f${i}`, `project ${i}`)
  start('blank', 'p', { kind: 'quick' })
  start('copy', 'p', { kind: 'copy' })
  await setImmediate()
  expect(begun).toContain('blank')
  expect(begun).toContain('copy')
})

test('an outcome is kept until it is taken, and looking at it takes nothing', async () => {
  const { jobs, settled, start, end } = openJobs()
  start('a')
  await setImmediate()
  expect(jobs.take('a')).toBeNull()
  await end('a')
  expect(settled).toEqual(['a'])
  expect(jobs.peek('a')).toEqual({ ok: true, value: 'made a' })
  start('a')
  expect(jobs.find('a')?.state).toBe('settled')
  expect(jobs.take('a')).toEqual({ ok: true, value: 'made a' })
  expect([jobs.take('a'), jobs.find('a')]).toEqual([null, null])
})

test('failures in a row are counted until one succeeds or the object is forgotten', async () => {
  const { jobs, start, end } = openJobs()
  const failures: unknown[] = []
  async function failOnce() {
    start('a')
    await setImmediate()
    await end('a', new Error('no'))
    const outcome = jobs.take('a')
    failures.push(outcome?.ok === false && outcome.failures)
  }
  await failOnce()
  await failOnce()
  start('a')
  await setImmediate()
  await end('a')
  jobs.take('a')
  await failOnce()
  await failOnce()
  jobs.forget('a')
  await failOnce()
  expect(failures).toEqual([1, 2, 1, 2, 1])
})

test('a run that throws at once is a failed job', async () => {
  const { jobs, start } = openJobs()
  start('a', 'p', {
    run() {
      throw new Error('at once')
    },
  })
  await setImmediate()
  expect(jobs.take('a')).toMatchObject({ ok: false, aborted: false, failures: 1 })
})

test('a job is ended while it runs and while it waits, and makes room', async () => {
  const { jobs, begun, settled, start } = openJobs()
  for (const id of ['a', 'b', 'c', 'd']) start(id)
  await setImmediate()
  expect(jobs.abort('c')).toBe(true)
  expect(settled).toEqual(['c'])
  expect(jobs.abort('a')).toBe(true)
  await setImmediate()
  expect(begun).toEqual(['a', 'b', 'd'])
  for (const id of ['a', 'c']) expect(jobs.take(id)).toMatchObject({ ok: false, aborted: true, failures: 0 })
  expect(jobs.abort('a')).toBe(false)
})

test('what waits says for whom', async () => {
  const { jobs, start } = openJobs()
  for (const id of ['a', 'b', 'c']) start(id)
  expect(jobs.find('c')?.waitsFor).toEqual({ whose: 'owner', running: 2 })
  for (const i of many(8)) start(`o${i}`, `other ${i}`)
  expect(jobs.find('o7')?.waitsFor).toEqual({ whose: 'everybody', running: jobPlaces.fetch.inAll })
  expect(jobs.find('a')?.waitsFor).toBeNull()
})

test('another try waits for its delay, is seen meanwhile, keeps nobody waiting, and can be ended', async () => {
  const clock = makeHandClock()
  const { jobs, begun, settled, start } = openJobs(clock)
  start('later', 'p', { delayMs: 1000 })
  start('never', 'p', { delayMs: 1000 })
  for (const id of ['a', 'b']) start(id, 'p', { kind: 'quick' })
  await clock.advance(999)
  expect(begun).toEqual(['a', 'b'])
  expect(jobs.find('later')).toMatchObject({ state: 'waiting', waitsFor: null })
  expect(jobs.abort('never')).toBe(true)
  expect(settled).toEqual(['never'])
  await clock.advance(1)
  expect(begun).toEqual(['a', 'b', 'later'])
})

test('tells when a job was asked for, began, got on by a percent and settled, and nothing once its end was asked for', async () => {
  const { jobs, changes, start } = openJobs()
  let report: (fraction: number) => void = () => {}
  const endless = ({ onProgress, signal }: { onProgress: typeof report; signal: AbortSignal }) => {
    report = onProgress
    return new Promise<string>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('end'))),
    )
  }
  start('a', 'p', { kind: 'copy', run: endless })
  start('b', 'p', { kind: 'copy' })
  await setImmediate()
  for (const fraction of [0.101, 0.102, 0.11]) report(fraction)
  jobs.abort('a')
  report(0.5)
  await setImmediate()
  expect(changes).toEqual([
    'a running null',
    'b waiting null',
    'a running 0.1',
    'a running 0.11',
    'b running null',
    'a settled 0.11',
  ])
})

test('closing ends everything, tells nobody, leaves no outcome, and starts no more', async () => {
  const { jobs, begun, settled, start } = openJobs()
  for (const id of ['a', 'b', 'c']) start(id)
  await setImmediate()
  await jobs.close()
  start('d')
  await setImmediate()
  expect(begun).toEqual(['a', 'b'])
  expect(settled).toEqual([])
  for (const id of ['a', 'b', 'c', 'd']) expect(jobs.peek(id)).toBeNull()
  // A late look still sees that they were being worked on.
  expect(jobs.find('a')?.state).toBe('running')
})

test('a project is listed by itself', () => {
  const { jobs, start } = openJobs()
  start('a', 'one')
  start('b', 'two')
  expect(jobs.list('two').map(({ id }) => id)).toEqual(['b'])
  expect(jobs.list()).toHaveLength(2)
})

test('ten thousand waiting jobs cost as much each as ten', async () => {
  const perJob = async (count: number) => {
    const { jobs, start } = openJobs()
    const done = async () => 'done'
    // Of the processor, so that what else the host does meanwhile does not count.
    const began = process.cpuUsage()
    for (const i of many(count)) start(`j${i}`, `project ${i % 500}`, { run: done })
    await jobs.idle()
    return process.cpuUsage(began).user / count
  }
  await perJob(2_000)
  const few = await perJob(2_000)
  const lots = await perJob(40_000)
  // Quadratic work would be twenty times as much each.
  expect(lots).toBeLessThan(few * 8)
})
