import fc from 'fast-check'
import type { Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openTestDb } from '../db/database.test-kit.ts'
import { up as firstUsage } from '../db/migrations/0004-usage.ts'
import { up as usagePerOwner } from '../db/migrations/0008-idempotency-and-usage.ts'
import { countRows, rowsOf } from '../db/rows.test-kit.ts'
import { openSqlite } from '../db/sqlite.ts'
import { type Owner, together, type Used } from './usage.book.ts'
import { makeUsageRepo } from './usage.repo.ts'

const at = Date.UTC(2026, 0, 1)
const amount = fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }))
const used: fc.Arbitrary<Used> = fc.record({
  cpu: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
  memoryMb: amount,
  diskRead: amount,
  diskWrite: amount,
  netIn: amount,
  netOut: amount,
})
const measured = fc.array(
  fc.tuple(fc.record({ processors: fc.integer({ min: 1, max: 8 }), inGroup: fc.boolean() }), used),
  { minLength: 1, maxLength: 120 },
)
const ownersOf = (all: [{ processors: number; inGroup: boolean }, Used][]) =>
  all.map(([{ processors, inGroup }, one], i): [Owner, Used] => [
    {
      vmId: `vm-${i}`,
      projectId: `project-${i % 2}`,
      groupId: inGroup ? 'group' : null,
      processors,
      memoryMb: 256,
    },
    one,
  ])
const sumOf = (all: [Owner, Used][], isOwn: (owner: Owner) => boolean) => {
  const own = all.filter(([owner]) => isOwn(owner)).map(([{ processors }, one]) => ({ ...one, processors }))
  return own.length === 0 ? [] : [together(at, own)]
}
/** What is stored of everything has to be what its measures add up to. */
async function expectSums(repo: ReturnType<typeof makeUsageRepo>, all: [Owner, Used][], project: string) {
  for (const [owner, isOwn] of [
    [project, (one: Owner) => one.projectId === project],
    ['group', (one: Owner) => one.groupId === 'group'],
    ['vm-0', (one: Owner) => one.vmId === 'vm-0'],
    ['vm-1', (one: Owner) => one.vmId === 'vm-1'],
  ] as const)
    expect(await repo.samples(owner, at), owner).toEqual(sumOf(all, isOwn))
}

describe('usage of a span', () => {
  it('is stored for each VM, each group and each project, as if it were added up when asked for', async () => {
    await fc.assert(
      fc.asyncProperty(measured, async (random) => {
        const all = ownersOf(random)
        const db = await openTestDb()
        try {
          const repo = makeUsageRepo(db)
          await repo.insert(at, all)
          await expectSums(repo, all, 'project-0')
        } finally {
          await db.destroy()
        }
      }),
      { numRuns: 20 },
    )
  })

  it('of many VMs is read as one row for each span', async () => {
    const db = await openTestDb()
    const repo = makeUsageRepo(db)
    const used = { cpu: 10, memoryMb: 100, diskRead: 0, diskWrite: 0, netIn: 0, netOut: 0 }
    const all = ownersOf(Array.from({ length: 60 }, () => [{ processors: 2, inGroup: true }, used]))
    const spans = 4
    for (let span = 0; span < spans; span += 1) await repo.insert(at + span * 300_000, all)
    const count = countRows(db)
    for (const owner of ['project-0', 'group', 'vm-0'])
      expect(await rowsOf(count, () => repo.samples(owner, at)), owner).toBe(spans)
    await db.destroy()
  })

  it('of before is summed up by the migration to what it was', async () => {
    const db = openSqlite(':memory:')
    // The schema names the tables of now.
    const before = db as unknown as Kysely<{ usage_sample: Record<string, string | number | null> }>
    await firstUsage(db as unknown as Kysely<unknown>)
    const all = ownersOf(
      Array.from({ length: 40 }, (_, i) => [
        { processors: 1 + (i % 4), inGroup: i % 3 === 0 },
        {
          cpu: i % 7 === 0 ? null : (i * 37.77) % 100,
          memoryMb: 100.25 + i,
          diskRead: i % 5 === 0 ? null : i * 1234.567,
          diskWrite: null,
          netIn: i * 0.3,
          netOut: 0,
        },
      ]),
    )
    for (const [{ vmId, projectId, groupId, processors }, used] of all) {
      const owner = { vm_id: vmId, project_id: projectId, group_id: groupId, processors }
      const { cpu, memoryMb, diskRead, diskWrite, netIn, netOut } = used
      const amounts = { cpu, memory_mb: memoryMb, disk_read: diskRead, disk_write: diskWrite }
      const row = { ...owner, ...amounts, net_in: netIn, net_out: netOut, at: new Date(at).toISOString() }
      await before.insertInto('usage_sample').values(row).execute()
    }
    await usagePerOwner(db as unknown as Kysely<unknown>)
    await expectSums(makeUsageRepo(db), all, 'project-1')
    await db.destroy()
  })
})
