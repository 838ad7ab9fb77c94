import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Failure } from '../failure.ts'
import { disk, diskSchedule, pool, seen, set, vm, vmSchedule } from './project-file.test-kit.ts'
import { parseProjectFile, readProjectFile } from './read.ts'
import { writeProjectFile } from './write.ts'

const refusal = (text: string): string => {
  try {
    parseProjectFile(text, 'shop.yaml')
  } catch (error) {
    if (error instanceof Failure && error.exit === 'usage') return error.message
    throw error
  }
  throw new Error('It was accepted')
}

describe('a project file', () => {
  it('is read with what it leaves out', () => {
    expect(parseProjectFile('slipway: 1\nproject: shop\n', 'shop.yaml')).toEqual({
      ...{ slipway: 1, project: 'shop' },
      ...{ disks: {}, vms: {}, pools: {}, sets: {}, webhooks: {} },
    })
  })

  it('may be JSON', () => {
    expect(parseProjectFile('{"slipway": 1, "project": "shop", "internet": false}', 'f').internet).toBe(false)
  })

  it.each([
    ['no version', 'project: shop\n', '1: slipway: Write `slipway: 1` as the version of the format'],
    ['no project', 'slipway: 1\n', '1: project: '],
    ['a text', 'hello\n', '1: Write fields and their values here'],
    ['nothing', '', '1: Write fields and their values here'],
  ])('with %s is refused', (_, text, message) => {
    expect(refusal(text)).toContain(`shop.yaml:${message}`)
  })

  const long = 'a'.repeat(201)
  const scheduled = (schedule: string) => `disks:\n  a: { size: 1Gi, snapshot_schedule: ${schedule} }\n`
  it.each([
    ['a field that does not exist', 'vm: {}\n', ':1: There is no field `vm`'],
    [
      'a wrong value, in its line',
      'vms:\n  web:\n    template: a\n    ssh_key: b\n    cpu: many\n',
      ':7: vms.web.cpu: Enter a whole number of processors from 1 to 64',
    ],
    ['a VM without a template', 'vms:\n  a: { ssh_key: b }\n', ':4: vms.a.template: Name the template'],
    ['a wrong size', 'disks:\n  a: { size: lots }\n', ':4: disks.a.size: Please enter a valid disk size'],
    [
      'sizes of a pool that do not fit',
      'pools:\n  p: { template: a, ssh_key: b, min_size: 5 }\n',
      ':4: pools.p.max_size: Minimum size cannot be greater than maximum size.',
    ],
    [
      'a snapshot schedule that takes no snapshots',
      scheduled('{ time_zone: UTC }'),
      ':4: disks.a.snapshot_schedule.daily: Choose hourly, daily or weekly snapshots',
    ],
    [
      'a time of a snapshot schedule that is none',
      scheduled('{ daily: { time: 3 am, keep: 7 } }'),
      ':4: disks.a.snapshot_schedule.daily.time: Enter a time such as 03:00',
    ],
    [
      'too many snapshots to keep',
      scheduled('{ hourly: { minute: 0, keep: 169 } }'),
      ':4: disks.a.snapshot_schedule.hourly.keep: Keep between 1 and 168 hourly snapshots',
    ],
    [
      'a type of snapshot that VMs have and disks do not',
      scheduled('{ hourly: { minute: 0, keep: 1 }, snapshot_type: disk }'),
      ':4: disks.a.snapshot_schedule.snapshot_type: ',
    ],
    [
      'a field of a rhythm that does not exist',
      scheduled('{ hourly: { minute: 0, keep: 1, every: 2 } }'),
      ':4: disks.a.snapshot_schedule.hourly: There is no field `every`',
    ],
    [
      'a field of a snapshot schedule that does not exist',
      scheduled('{ monthly: { keep: 1 } }'),
      ':4: disks.a.snapshot_schedule: There is no field `monthly`',
    ],
    [
      'no snapshot schedule where there should be one',
      scheduled('null'),
      ':4: disks.a.snapshot_schedule: Write fields and their values here',
    ],
    [
      'a webhook without a URL',
      'webhooks:\n  chat: { kinds: [failure] }\n',
      ':4: webhooks.chat.url: Enter the URL that the requests go to',
    ],
    [
      'a secret of a webhook',
      "webhooks:\n  chat: { url: 'https://a.test/', secret: whsec_a }\n",
      ':4: webhooks.chat: There is no field `secret`',
    ],
    [
      'a name that is too long for the description of a webhook',
      `webhooks:\n  ${long}: { url: 'https://a.test/' }\n`,
      `webhooks.${long}: Use at most 200 characters for the description`,
    ],
    [
      'a disk for two VMs',
      'vms:\n  a: { template: t, ssh_key: k, disks: [d] }\n  b: { template: t, ssh_key: k, disks: [d] }\n',
      ':5: vms.b.disks.0: A disk can be attached to one VM only',
    ],
    ['a name that comes twice', 'disks:\n  a: {}\n  a: {}\n', ':5: Map keys must be unique'],
    ['no YAML', 'disks: [\n', ':4: '],
    [
      'an image without an address',
      'disks:\n  a: { size: 1Gi, source: HTTP }\n',
      'Please enter an image URL',
    ],
  ])('with %s is refused', (_, text, message) => {
    expect(refusal(`slipway: 1\nproject: shop\n${text}`)).toContain(message)
  })

  it('that unfolds without end is refused', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
    for (let i = 0; i < 9; i += 1)
      bomb.push(`${'bcdefghij'[i]}: &${'bcdefghij'[i]} [${Array(9).fill(`*${'abcdefghi'[i]}`).join(', ')}]`)
    expect(refusal(bomb.join('\n'))).toContain('shop.yaml: ')
  })

  it('that is not there is told', async () => {
    await expect(readProjectFile('/nowhere/shop.yaml')).rejects.toThrow(
      'There is no file /nowhere/shop.yaml.',
    )
  })
})

describe('an export', () => {
  it('leaves out what new objects have anyway, and says what it cannot hold', async () => {
    const disks = [{ name: 'd', size: '1Gi', source: 'SNAPSHOT' as const }]
    const size = { cpu: 4, memory_mb: 2048, root_disk_gb: 20 }
    const there = seen({
      disks: [disk('data'), disk('copy', { source: 'snapshot' })],
      vms: [vm('web', { tags: ['a'], next_memory_mb: 512, root_disk_gb: 30 })],
      pools: [pool('p', { ...size, snapshot_id: 's', disks })],
    })
    expect(
      await writeProjectFile(there),
    ).toBe(`# A project of Slipway: \`slipway apply\` makes it as it is here.

slipway: 1
project: shop
internet: true
disks:
  data:
    size: 10Gi
  # Its content came from a snapshot. A new one is blank.
  copy:
    size: 10Gi
vms:
  web:
    template: Starter Linux
    ssh_key: laptop
    cpu: 1
    memory_mb: 512
    root_disk_gb: 30
    tags:
      - a
pools:
  # Its VMs are made of a snapshot. New ones are made of the template.
  p:
    template: Starter Linux
    ssh_key: laptop
    cpu: 4
    memory_mb: 2048
    root_disk_gb: 20
    min_size: 1
    max_size: 3
    desired_size: 1
    auto_scaling: false
`)
  })

  it('has snapshot schedules with what they belong to, without what came of them', async () => {
    const weekly = { weekday: 'sunday', time: '04:30', keep: 4 } as const
    const there = seen({
      disks: [
        disk('data', { snapshot_schedule: diskSchedule({ paused: true, snapshot_type: 'incremental' }) }),
      ],
      vms: [
        vm('web', { snapshot_schedule: vmSchedule({ daily: null, weekly, time_zone: 'Europe/Berlin' }) }),
      ],
    })
    const text = await writeProjectFile(there)
    expect(text).toContain(`  data:
    size: 10Gi
    snapshot_schedule:
      daily:
        time: 03:00
        keep: 7
      time_zone: UTC
      paused: true
      snapshot_type: incremental
`)
    expect(text).toContain(`
    snapshot_schedule:
      weekly:
        weekday: sunday
        time: 04:30
        keep: 4
      time_zone: Europe/Berlin
      snapshot_type: disk
`)
    expect(parseProjectFile(text, 'f').vms.web?.snapshot_schedule).toEqual({
      ...{ hourly: null, daily: null, weekly, time_zone: 'Europe/Berlin', paused: false },
      snapshot_type: 'disk',
    })
  })

  it('has start scripts where they are asked for, of groups by their members', async () => {
    const there = seen({ vms: [vm('web'), vm('bare')], sets: [set('s')], pools: [pool('empty')] })
    there.members = [vm('s-1', { vmset_id: there.sets[0]?.id ?? '' })]
    const text = await writeProjectFile(there, async ({ name }) =>
      name === 'bare' ? null : `#!/bin/sh\necho ${name}\n`,
    )
    const { vms, sets, pools } = parse(text)
    expect([vms.web.start_script, vms.bare.start_script]).toEqual(['#!/bin/sh\necho web\n', undefined])
    expect([sets.s.start_script, pools.empty.start_script]).toEqual(['#!/bin/sh\necho s-1\n', undefined])
  })

  it('refuses names that several have', async () => {
    await expect(writeProjectFile(seen({ vms: [vm('a'), vm('a')] }))).rejects.toThrow(
      'There are several VMs "a". A file needs names that differ: rename one.',
    )
  })
})
