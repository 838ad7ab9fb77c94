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
  const own = all.filter(([owner]) => isOwn(owner))
  return own.length === 0
    ? []
    : [
        together(
          at,
          own.map(([{ processors }, one]) => ({ ...one, processors })),
        ),
      ]
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
          expect(await repo.samples('project-0', at)).toEqual(
            sumOf(all, (one) => one.projectId === 'project-0'),
          )
          expect(await repo.samples('group', at)).toEqual(sumOf(all, (one) => one.groupId === 'group'))
          expect(await repo.samples('vm-0', at)).toEqual(sumOf(all, (one) => one.vmId === 'vm-0'))
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
    for (const [owner, one] of all)
      await before
        .insertInto('usage_sample')
        .values({
          vm_id: owner.vmId,
          at: new Date(at).toISOString(),
          project_id: owner.projectId,
          group_id: owner.groupId,
          processors: owner.processors,
          cpu: one.cpu,
          memory_mb: one.memoryMb,
          disk_read: one.diskRead,
          disk_write: one.diskWrite,
          net_in: one.netIn,
          net_out: one.netOut,
        })
        .execute()
    await usagePerOwner(db as unknown as Kysely<unknown>)
    const repo = makeUsageRepo(db)
    expect(await repo.samples('project-1', at)).toEqual(sumOf(all, (one) => one.projectId === 'project-1'))
    expect(await repo.samples('group', at)).toEqual(sumOf(all, (one) => one.groupId === 'group'))
    expect(await repo.samples('vm-1', at)).toEqual(sumOf(all, (one) => one.vmId === 'vm-1'))
    await db.destroy()
  })
})
