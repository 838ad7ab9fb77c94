import { describe, expect, it } from 'vitest'
import { gibibyte } from './quantity.ts'
import {
  binVmsAllow,
  bytesOfDisks,
  lineAllows,
  type ProjectQuota,
  type Quota,
  quotaAllows,
  quotaAmount,
  quotaLeft,
  quotaLeftText,
  quotaOfCopies,
  quotaOfVms,
  quotaOfVmsWithDisks,
  quotaResources,
  quotaScopes,
} from './quota.rules.ts'

const open: Quota = {
  vms: { used: 3, limit: null },
  processors: { used: 3, limit: null },
  memory_mb: { used: 3, limit: null },
  disk_bytes: { used: 3, limit: null },
  snapshot_bytes: { used: 3, limit: null },
  shares: { used: 3, limit: null },
  bin_bytes: { used: 3, limit: null },
}
const both = (project: Partial<Quota>, account: Partial<Quota> = {}): ProjectQuota => ({
  project: { ...open, ...project },
  account: { ...open, ...account },
})

describe('one limit', () => {
  for (const scope of quotaScopes) {
    for (const resource of quotaResources) {
      const asks = (used: number, limit: number | null, requested: number) =>
        lineAllows(scope, resource, { used, limit }, requested)

      it(`of ${resource} of the ${scope} allows what fits, to the last, and everything without a limit`, () => {
        expect(asks(1_000_000, null, 1_000_000)).toBe(true)
        expect(asks(0, 1, 1)).toBe(true)
        expect(asks(9, 10, 1)).toBe(true)
        for (const used of [10, 11])
          expect(asks(used, 10, 1)).toMatch(/ uses .* of its .*, and .* requested\. /)
      })

      it(`of ${resource} of the ${scope} allows nothing to be requested, also below what is used`, () => {
        expect(asks(20, 10, 0)).toBe(true)
        expect(asks(0, 0, 0)).toBe(true)
        expect(asks(0, 0, 1)).not.toBe(true)
      })
    }
  }

  it('leaves it to the first snapshot beyond it how large it becomes', () => {
    expect(lineAllows('project', 'snapshot_bytes', { used: 9, limit: 10 }, 1000)).toBe(true)
    expect(lineAllows('project', 'snapshot_bytes', { used: 10, limit: 10 }, 1)).not.toBe(true)
    // Of everything else it is known.
    expect(lineAllows('project', 'disk_bytes', { used: 9, limit: 10 }, 2)).not.toBe(true)
  })
})

describe('the sentence of a limit', () => {
  const gb = (count: number) => count * gibibyte
  const help = 'or ask an administrator for a higher limit.'
  it.each([
    [
      'project',
      'vms',
      3,
      3,
      1,
      `This project uses 3 of its 3 VMs, and 1 more is requested. Delete VMs, ${help}`,
    ],
    [
      'project',
      'vms',
      0,
      1,
      2,
      `This project uses 0 of its 1 VM, and 2 more are requested. Delete VMs, ${help}`,
    ],
    [
      ...(['account', 'processors', 15, 16, 2] as const),
      `The account that owns this project uses 15 of its 16 processors, and 2 more are requested. Delete VMs, ${help}`,
    ],
    [
      ...(['project', 'memory_mb', 15_872, 16_384, 1024] as const),
      `This project uses 15.5 GB of its 16.0 GB of memory, and 1.0 GB more is requested. Delete VMs, ${help}`,
    ],
    [
      ...(['account', 'disk_bytes', gb(90), gb(100), gb(20)] as const),
      `The account that owns this project uses 90 GB of its 100 GB of disk space, and 20 GB more is requested. Delete disks, ${help}`,
    ],
    [
      ...(['project', 'snapshot_bytes', gb(10.26), gb(10), 1] as const),
      `This project uses 10.3 GB of its 10 GB of snapshot space, and another snapshot is requested. Delete snapshots, ${help}`,
    ],
    [
      ...(['project', 'shares', 1, 1, 1] as const),
      `This project uses 1 of its 1 shared port, and 1 more is requested. Stop sharing a port, ${help}`,
    ],
  ] as const)('of the %s for %s at %i of %i with %i more', (scope, resource, used, limit, more, sentence) => {
    expect(lineAllows(scope, resource, { used, limit }, more)).toBe(sentence)
  })
})

describe('what is requested together', () => {
  const vm = quotaOfVms(2, { cpu: 4, memory_mb: 2048, disk_bytes: gibibyte })

  it('is that of all VMs', () => {
    expect(vm).toEqual({ vms: 2, processors: 8, memory_mb: 4096, disk_bytes: 2 * gibibyte })
    expect(quotaOfVms(3, { cpu: 1, memory_mb: 512 })).toMatchObject({ vms: 3, disk_bytes: 0 })
  })

  it('is that of the disks of each VM, whose root disk counts if it has a size of its own', () => {
    const disks = [{ size: '2Gi' }, { size: '1GB' }, { size: 'much' }]
    expect(bytesOfDisks(disks)).toBe(3 * gibibyte)
    const of = (root_bytes: number | null) =>
      quotaOfVmsWithDisks(2, { cpu: 4, memory_mb: 2048, root_bytes, disks })
    expect(of(5 * gibibyte)).toEqual({ vms: 2, processors: 8, memory_mb: 4096, disk_bytes: 16 * gibibyte })
    expect(of(null)).toMatchObject({ disk_bytes: 6 * gibibyte })
    const copies = (root_disk_gb: number | null, next_root_disk_gb: number | null) =>
      quotaOfCopies(2, { cpu: 4, memory_mb: 2048, root_disk_gb, next_root_disk_gb }, disks)
    expect(copies(5, null)).toEqual(of(5 * gibibyte))
    expect(copies(5, 6)).toEqual(of(6 * gibibyte))
    expect(copies(null, null)).toEqual(of(null))
  })

  it('is allowed where no limit says no', () => {
    expect(quotaAllows(both({}), vm)).toBe(true)
    expect(quotaAllows(both({ vms: { used: 3, limit: 5 } }, { vms: { used: 8, limit: 10 } }), vm)).toBe(true)
    expect(quotaAllows(both({ shares: { used: 9, limit: 5 } }), vm)).toBe(true)
  })

  it.each(quotaScopes)('is refused where one limit of the %s says no', (scope) => {
    for (const resource of ['vms', 'processors', 'memory_mb', 'disk_bytes'] as const) {
      const quota = both({}, {})
      quota[scope] = { ...open, [resource]: { used: 0, limit: 1 } }
      expect(quotaAllows(quota, vm), resource).toBe(
        lineAllows(scope, resource, { used: 0, limit: 1 }, vm[resource]),
      )
    }
  })

  it('is refused with the limit of the project first, and of the first resource', () => {
    const full = { used: 1, limit: 1 }
    expect(quotaAllows(both({ memory_mb: full }, { vms: full }), vm)).toMatch(/^This project .* memory/)
    expect(quotaAllows(both({ memory_mb: full, vms: full }), vm)).toMatch(/^This project .* VM,/)
  })
})

describe('what is left', () => {
  it('is nothing to tell without limits', () => {
    expect(quotaLeft(both({}), 'vms')).toBeNull()
    expect(quotaLeftText(both({}), quotaResources)).toBeNull()
  })

  it('is what the closer limit leaves, and never less than nothing', () => {
    const quota = both({ vms: { used: 3, limit: 10 } }, { vms: { used: 8, limit: 10 } })
    expect(quotaLeft(quota, 'vms')).toBe(2)
    expect(quotaLeft(both({ vms: { used: 3, limit: 4 } }, { vms: { used: 3, limit: 9 } }), 'vms')).toBe(1)
    expect(quotaLeft(both({ vms: { used: 12, limit: 10 } }), 'vms')).toBe(0)
  })

  it('is told as a sentence of what is limited', () => {
    const quota = both(
      { vms: { used: 2, limit: 3 }, memory_mb: { used: 0, limit: 24_576 } },
      { processors: { used: 4, limit: 16 } },
    )
    expect(quotaLeftText(quota, ['vms'])).toBe('Left: 1 VM.')
    expect(quotaLeftText(quota, ['vms', 'processors'])).toBe('Left: 1 VM and 12 processors.')
    expect(quotaLeftText(quota, quotaResources)).toBe('Left: 1 VM, 12 processors and 24.0 GB of memory.')
  })

  it('is not told where there is plenty', () => {
    expect(quotaLeftText(both({ vms: { used: 0, limit: 5000 } }), ['vms'])).toBeNull()
    expect(quotaLeftText(both({ vms: { used: 4000, limit: 5000 } }), ['vms'])).toBeNull()
    expect(quotaLeftText(both({ vms: { used: 4001, limit: 5000 } }), ['vms'])).toBe('Left: 999 VMs.')
    expect(quotaLeftText(both({ memory_mb: { used: 0, limit: 2048 } }), ['memory_mb'])).toBe(
      'Left: 2.0 GB of memory.',
    )
  })

  it('is written with its noun', () => {
    expect(quotaAmount('shares', 2)).toBe('2 shared ports')
    expect(quotaAmount('processors', 1)).toBe('1 processor')
    expect(quotaAmount('disk_bytes', gibibyte / 2)).toBe('0.5 GB of disk space')
    expect(quotaAmount('bin_bytes', gibibyte)).toBe('1 GB in the bin')
  })
})

describe('the VMs in the bin of a project that another account takes over', () => {
  it('fit up to the limit, and none always does', () => {
    expect(binVmsAllow({ used: 8, limit: 10 }, 2)).toBe(true)
    expect(binVmsAllow({ used: 12, limit: 10 }, 0)).toBe(true)
  })

  it('are refused beyond it with both numbers', () => {
    expect(binVmsAllow({ used: 8, limit: 10 }, 3)).toBe(
      'Your account has 8 of at most 10 VMs in its bin, and 3 more would come with the project. Empty the bin of the project, or yours.',
    )
  })
})
