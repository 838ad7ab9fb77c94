import { accessTexts } from '@slipway/contract/access.rules.ts'
import { ProjectFile } from '@slipway/contract/project-file.ts'
import { webhookTexts } from '@slipway/contract/webhook.rules.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileOf } from './entries.ts'
import { planOf } from './plan.ts'
import {
  disk,
  diskSchedule,
  kind,
  lines,
  plan,
  pool,
  seen,
  set,
  vm,
  vmSchedule,
  vmWith,
  webhook,
} from './project-file.test-kit.ts'
import type { Seen } from './seen.ts'

const web = (more: object = {}) => ({ vms: { web: { ...kind, ...more } } })
const nothingToDo = { steps: [], problems: [] }

describe('a plan', () => {
  it('makes a project with all that is in it, disks before VMs', () => {
    const what = {
      sets: { etcd: { ...kind, replicas: 3 } },
      pools: { workers: kind },
      vms: { web: { ...kind, disks: ['data'] } },
      disks: { data: { size: '10 GB' } },
    }
    expect(lines(what, seen({ project: null }))).toEqual([
      '+ project shop',
      '+ disk data: 10Gi',
      '+ VM web: Starter Linux',
      '+ pool workers: Starter Linux',
      '+ set etcd: Starter Linux',
      '5 to create, 0 to change, 0 to delete.',
    ])
  })

  it('does nothing where all is as the file says', () => {
    const there = seen({ vms: [vm('web', { cpu: 2, tags: ['a'] })] })
    expect(lines(web({ cpu: 2, tags: ['a'] }), there)).toEqual([
      'Nothing to do: the project is as the file says.',
    ])
  })

  it('takes ids of templates and SSH keys for their names', () => {
    const what = web({ template: 't-1', ssh_key: 'k-1' })
    expect(plan(what, seen({ vms: [vm('web')] }))).toMatchObject(nothingToDo)
  })

  it('changes what differs, in one call, and leaves what the file does not say', () => {
    const there = seen({ vms: [vm('web', { note: 'kept', cpu: 1, next_cpu: 4, tags: ['b'] })] })
    const changes = [
      { field: 'tags', from: ['b'], to: ['a', 'b'] },
      { field: 'cpu', from: 4, to: 2 },
    ]
    expect(plan(web({ cpu: 2, tags: ['a', 'b'] }), there)).toMatchObject({
      steps: [{ do: 'change', changes }],
      problems: [],
    })
  })

  it.each([
    ['a pool', { pools: { p: { ...kind, max_size: 5 } } }, seen({ pools: [pool('p')] }), 'max_size 3 -> 5'],
    ['a set', { sets: { s: { ...kind, replicas: 3 } } }, seen({ sets: [set('s')] }), 'replicas 2 -> 3'],
    ['the SSH key of a VM', web({ ssh_key: 'desk' }), seen({ vms: [vm('web')] }), 'ssh_key laptop -> desk'],
    ['a root disk', web({ root_disk_gb: 30 }), seen({ vms: [vm('web')] }), 'root_disk_gb empty -> 30'],
    ['a network', { internet: false }, seen(), 'internet true -> false'],
  ])('changes %s', (_, what, there, text) => {
    expect(lines(what, there)[0]).toContain(text)
  })

  it('refuses a smaller root disk, and counts what one is being enlarged to', () => {
    const there = seen({ vms: [vm('web', { root_disk_gb: 20, next_root_disk_gb: 30 })] })
    expect(plan(web({ root_disk_gb: 30 }), there)).toMatchObject(nothingToDo)
    expect(plan(web({ root_disk_gb: 25 }), there).problems).toEqual([
      'VM web: root_disk_gb is 30 and cannot become 25. Write what it is, or delete the VM and apply the file again.',
    ])
  })

  it('refuses another root disk of a pool or set, and takes that of the template for no size of its own', () => {
    const image = { state: 'ready' as const, progress: null, message: null, root_disk_gb: 4 }
    const there = seen({
      pools: [pool('p', { root_disk_gb: 20 })],
      sets: [set('s')],
      vms: [vm('v')],
      templates: [{ id: 't-1', image }],
    })
    const wanted = (gb: number, ofOthers: number) => {
      const other = { ...kind, root_disk_gb: ofOthers }
      return { pools: { p: { ...kind, root_disk_gb: gb } }, sets: { s: other }, vms: { v: other } }
    }
    expect(plan(wanted(20, 4), there)).toMatchObject(nothingToDo)
    expect(plan({ pools: { p: kind } }, there)).toMatchObject(nothingToDo)
    expect(plan(wanted(30, 5), there).problems).toEqual([
      'Pool p: root_disk_gb is 20 and cannot become 30. Write what it is, or delete the pool and apply the file again.',
      'Set s: root_disk_gb is empty and cannot become 5. Write what it is, or delete the set and apply the file again.',
    ])
  })

  it('refuses other processors and other memory of a pool or set, which roll-outs change', () => {
    const there = seen({ pools: [pool('p', { cpu: 4, memory_mb: 2048 })], sets: [set('s')] })
    const pools = { p: { ...kind, cpu: 4, memory_mb: 2048 } }
    const sets = { s: { ...kind, cpu: 1, memory_mb: 512 } }
    expect(plan({ pools, sets }, there)).toMatchObject(nothingToDo)
    expect(plan({ pools: { p: kind }, sets: { s: kind } }, there)).toMatchObject(nothingToDo)
    const other = { pools: { p: { ...kind, cpu: 2 } }, sets: { s: { ...kind, memory_mb: 1024 } } }
    expect(plan(other, there).problems).toEqual([
      'Pool p: cpu is 4 and cannot become 2. Write what it is, or delete the pool and apply the file again.',
      'Set s: memory_mb is 512 and cannot become 1024. Write what it is, or delete the set and apply the file again.',
    ])
  })

  it('leaves the wanted size of a pool to its scaling', () => {
    const there = seen({ pools: [pool('p', { auto_scaling: true, desired_size: 3 })] })
    expect(plan({ pools: { p: { ...kind, desired_size: 1 } } }, there).steps).toEqual([])
    const still = { ...kind, auto_scaling: false, desired_size: 1 }
    expect(plan({ pools: { p: still } }, there).steps).toMatchObject([
      { changes: [{ field: 'desired_size' }, { field: 'auto_scaling' }] },
    ])
  })

  it('looks at start scripts and shared ports only when it makes a VM', () => {
    const what = web({ start_script: '#!/bin/sh\n', share_ports: [80] })
    expect(plan(what, seen({ vms: [vm('web')] })).steps).toEqual([])
  })

  it.each([
    ['the template of a VM', web({ template: 'Debian 13' }), seen({ vms: [vm('web')] })],
    ['the size of a disk', { disks: { a: { size: '20Gi' } } }, seen({ disks: [disk('a')] })],
    [
      'what a disk is made from',
      { disks: { a: { size: '10Gi', source: 'HTTP', image_url: 'https://a.test/b.img' } } },
      seen({ disks: [disk('a')] }),
    ],
    [
      'the disks of a set',
      { sets: { a: { ...kind, disks: [{ name: 'd', size: '1Gi' }] } } },
      seen({ sets: [set('a')] }),
    ],
    ['the description of a project', { description: 'new' }, seen()],
  ])('refuses to change %s, and says what to do', (_, what, there) => {
    const { problems } = plan(what, there)
    expect(problems).not.toEqual([])
    for (const problem of problems) expect(problem).toMatch(/ is .+ and cannot become .+\./)
  })

  it('refuses names that several objects have, when the file has them', () => {
    const there = seen({ vms: [vm('a'), vm('a'), vm('b'), vm('b')] })
    expect(plan({ vms: { a: kind } }, there).problems).toEqual([
      'There are several VMs "a". Rename or delete all but one.',
    ])
  })

  it('refuses what could not be made before', () => {
    const there = seen({ disks: [disk('a', { status: 'failed', status_message: 'No such host.' })] })
    expect(plan({ disks: { a: { size: '10Gi' } } }, there).problems).toEqual([
      'Disk a could not be made: No such host. Delete it and try again.',
    ])
  })

  it('does not take names of JavaScript for names of objects', () => {
    const there = seen({ vms: [vm('constructor')] })
    expect(plan({}, there, true).steps).toMatchObject([{ do: 'delete', name: 'constructor' }])
  })
})

describe('disks of VMs', () => {
  const { vm: own, disks } = vmWith('web', [disk('one'), disk('two')])
  const there = seen({ vms: [own, vm('db')], disks: [...disks, disk('free')] })
  const all = { one: { size: '10Gi' }, two: { size: '10Gi' }, free: { size: '10Gi' } }

  it('stay where the file does not say them', () => {
    expect(plan({ disks: all, vms: { web: kind, db: kind } }, there).steps).toEqual([])
  })

  it('come off before they are put elsewhere', () => {
    const what = {
      disks: all,
      vms: { web: { ...kind, disks: ['two'] }, db: { ...kind, disks: ['one', 'free'] } },
    }
    expect(plan(what, there).steps).toEqual([
      { do: 'detach', disk: 'one', vm: 'web' },
      { do: 'attach', disk: 'one', vm: 'db' },
      { do: 'attach', disk: 'free', vm: 'db' },
    ])
  })

  it('come off a VM that the file does not have, when another is to have them', () => {
    const what = { disks: all, vms: { db: { ...kind, disks: ['one'] } } }
    expect(plan(what, there).steps).toContainEqual({ do: 'detach', disk: 'one', vm: 'web' })
  })

  it('come off before a new VM is made with them', () => {
    const what = { disks: all, vms: { web: { ...kind, disks: [] }, new: { ...kind, disks: ['two'] } } }
    expect(plan(what, there).steps.map((step) => step.do)).toEqual(['detach', 'detach', 'create'])
  })

  it('have to be somewhere', () => {
    expect(plan({ vms: { db: { ...kind, disks: ['none'] } } }, there).problems).toEqual([
      'VM db: there is no disk "none", neither in the file nor in the project.',
    ])
  })
})

describe('what the file does not have', () => {
  const { vm: own, disks } = vmWith('web', [disk('data')])
  const there = seen({ vms: [own], disks, pools: [pool('p')], sets: [set('s')] })

  it('stays, and is told', () => {
    expect(lines({}, there)).toEqual([
      '  disk data is not in the file and stays',
      '  VM web is not in the file and stays',
      '  pool p is not in the file and stays',
      '  set s is not in the file and stays',
      'Nothing to do: the project is as the file says.',
    ])
  })

  it('goes when that is asked for, disks last', () => {
    expect(lines({}, there, true)).toEqual([
      '- VM web',
      '- pool p',
      '- set s',
      '- disk data',
      '0 to create, 0 to change, 4 to delete.',
    ])
  })

  it('stays when it is protected, and then all does', () => {
    expect(plan({}, seen({ vms: [vm('web', { delete_protection: true })] }), true).problems).toEqual([
      expect.stringContaining('VM web: '),
    ])
  })

  it('is no disk that a VM of the file may have', () => {
    expect(plan(web(), there, true).problems).toEqual([
      'Disk data is attached to VM web. Write `disks` of the VM, with it or without.',
    ])
  })
})

describe('webhooks', () => {
  const url = 'https://hooks.test/key-of-the-receiver'

  it('are made, and told by their hosts: a URL may hold a key', () => {
    const what = { webhooks: { chat: { url, kinds: ['failure'] }, 'hooks.test': { url } } }
    expect(lines(what)).toEqual([
      '+ webhook chat: hooks.test',
      '+ webhook hooks.test: hooks.test',
      '2 to create, 0 to change, 0 to delete.',
    ])
  })

  it('are known by their descriptions, or the hosts of those that have none', () => {
    const there = seen({ webhooks: [webhook(url), webhook(url, { description: 'chat' })] })
    const what = { webhooks: { chat: { url }, 'hooks.test': { url } } }
    expect(plan(what, there, true)).toMatchObject({ steps: [], problems: [], kept: [] })
  })

  it('are changed in all they have, without a word of the URL', () => {
    const there = seen({ webhooks: [webhook(url, { description: 'chat', kinds: ['failure'] })] })
    const chat = { url: `${url}-2`, kinds: null, actions: ['vm.start'], paused: true }
    expect(lines({ webhooks: { chat } }, there)[0]).toBe(
      '~ webhook chat: another url, kinds ["failure"] -> null, actions null -> ["vm.start"], paused false -> true',
    )
  })

  it('keep what the file leaves out', () => {
    const there = seen({ webhooks: [webhook(url, { kinds: ['failure'], paused: true })] })
    expect(plan({ webhooks: { 'hooks.test': { url } } }, there).steps).toEqual([])
  })

  it('without a description keep their name when they move to another host', () => {
    const there = seen({ webhooks: [webhook(url)] })
    const what = { webhooks: { 'hooks.test': { url: 'https://other.test/' } } }
    expect(plan(what, there).steps).toMatchObject([
      { do: 'change', changes: [{ field: 'url' }, { field: 'description', from: '', to: 'hooks.test' }] },
    ])
    const moved = webhook('https://other.test/', { description: 'hooks.test' })
    expect(plan(what, seen({ webhooks: [moved] })).steps).toEqual([])
  })

  it('that Slipway paused go on where the file says so', () => {
    const paused = webhook(url, { paused: true, paused_reason: 'It does not answer.' })
    const there = seen({ webhooks: [paused] })
    expect(plan({ webhooks: { 'hooks.test': { url, paused: false } } }, there).steps).toMatchObject([
      { do: 'change', changes: [{ field: 'paused', from: true, to: false }] },
    ])
    expect(plan({ webhooks: { 'hooks.test': { url, paused: true } } }, there).steps).toEqual([])
  })

  it('of one name are refused', () => {
    const there = seen({ webhooks: [webhook(url), webhook(`${url}-2`)] })
    expect(plan({ webhooks: { 'hooks.test': { url } } }, there).problems).toEqual([
      'There are several webhooks "hooks.test". Rename or delete all but one.',
    ])
  })

  it('stay unless their deletion is asked for', () => {
    const there = seen({ webhooks: [webhook(url)] })
    expect(plan({}, there)).toMatchObject({ steps: [], kept: [{ what: 'webhooks', name: 'hooks.test' }] })
    expect(lines({}, there, true)[0]).toBe('- webhook hooks.test')
  })

  const onlyOwner = 'Webhooks: Only the owner of the project can do this.'
  const notSeen = 'Webhooks: Your role in this project is viewer. Ask its owner to make you an operator.'
  const chat = { webhooks: { chat: { url } } }
  const other = { webhooks: { chat: { url: `${url}-2` } } }
  const has = [webhook(url, { description: 'chat' })]
  it.each([
    ['an owner makes', 'owner', chat, [], []],
    ['an operator leaves as they are', 'operator', chat, has, []],
    ['an operator cannot make', 'operator', chat, [], [onlyOwner]],
    ['an operator cannot change', 'operator', other, has, [onlyOwner]],
    ['an operator cannot delete', 'operator', {}, has, [onlyOwner]],
    ['a viewer does not see', 'viewer', chat, [], [notSeen]],
    ['a viewer has no need of', 'viewer', {}, [], []],
  ] as const)('%s', (_, role, what, webhooks, problems) => {
    const project = { id: 'p', name: 'shop', description: '', role }
    const webhooksHidden = role === 'viewer' ? accessTexts.operator : null
    const there = seen({ project, webhooks: [...webhooks], webhooksHidden })
    expect(plan(what, there, true).problems).toEqual(problems)
  })
})

describe('the limit of webhooks', () => {
  const urlOf = (name: string) => `https://${name}.test/`
  const named = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word}${at}`)
  const has = (count: number) =>
    seen({
      webhooks: named('old', count).map((name) => webhook(urlOf(name), { description: name })),
      vms: [vm('old')],
    })
  const wants = (...names: string[]) => ({
    webhooks: Object.fromEntries(names.map((name) => [name, { url: urlOf(name) }])),
    vms: { new: kind },
  })
  const all = (what: object, there: Seen) => {
    const { steps, problems } = plan(what, there, true)
    expect(problems).toEqual([])
    return steps.map((step) => `${step.do} ${'what' in step ? step.what : 'disk'}`)
  }

  it('has those go first that make room for new ones, and no others', () => {
    expect(all(wants('new0', 'new1'), has(9))).toEqual([
      'create vms',
      'delete webhooks',
      'create webhooks',
      'create webhooks',
      'delete vms',
      ...named('', 8).map(() => 'delete webhooks'),
    ])
    expect(all(wants('new0'), has(9))).toEqual([
      'create vms',
      'create webhooks',
      'delete vms',
      ...named('', 9).map(() => 'delete webhooks'),
    ])
    expect(all(wants(...named('new', 10)), has(10))).toEqual([
      'create vms',
      ...named('', 10).map(() => 'delete webhooks'),
      ...named('', 10).map(() => 'create webhooks'),
      'delete vms',
    ])
  })

  it('is told before anything is done', () => {
    const problems = [`Webhooks: there would be 11. ${webhookTexts.tooMany}`]
    expect(plan(wants('new'), has(10)).problems).toEqual(problems)
    expect(plan(wants('new', ...named('old', 10)), has(10), true).problems).toEqual(problems)
    expect(plan(wants(...named('new', 11)), seen({ project: null })).problems).toEqual(problems)
    expect(plan(wants(...named('old', 10)), has(10)).problems).toEqual([])
  })
})

describe('the role of whoever applies a file', () => {
  const as = (role: 'viewer' | 'operator' | 'owner', more: Partial<Seen> = {}) =>
    seen({ project: { id: 'p', name: 'shop', description: '', role }, ...more })
  const onlyOwner = 'Internet access: Only the owner of the project can do this.'

  it('is told before anything is done, where an operator would change the Internet access', () => {
    const what = { internet: false, ...web() }
    expect(plan(what, as('operator')).problems).toEqual([onlyOwner])
    expect(plan(what, as('operator', { internet: false })).problems).toEqual([])
    expect(plan(web(), as('operator')).problems).toEqual([])
    expect(plan(what, as('owner')).problems).toEqual([])
    expect(plan(what, seen({ project: null })).problems).toEqual([])
    expect(lines(what, as('operator'))).toEqual([
      '~ project shop: internet true -> false',
      '+ VM web: Starter Linux',
      'This cannot be applied:',
      `  ${onlyOwner}`,
      '1 to create, 1 to change, 0 to delete.',
    ])
  })

  it('is told a viewer once for each part of the file', () => {
    const { vm: own, disks } = vmWith('web', [disk('data')])
    const there = as('viewer', { vms: [own], disks, pools: [pool('p')], sets: [set('s'), set('gone')] })
    const what = {
      internet: false,
      vms: { web: { ...kind, note: 'other', disks: [] }, new: kind },
      disks: { data: { size: '10Gi' } },
      pools: { p: { ...kind, max_size: 5 } },
    }
    expect(plan(what, there, true).problems).toEqual([
      onlyOwner,
      ...['Disks', 'VMs', 'Pools', 'Sets'].map((part) => `${part}: ${accessTexts.operator}`),
    ])
    expect(plan(web(), there).problems).toEqual([])
  })
})

it('finds nothing to do with what it wrote itself', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { maxLength: 4 })
  const some = fc.record({
    names,
    cpu: fc.integer({ min: 1, max: 8 }),
    flag: fc.boolean(),
    text: fc.stringMatching(/^[a-z]{0,9}$/),
  })
  fc.assert(
    fc.property(some, ({ names, cpu, flag, text }) => {
      const there = seen({
        internet: flag,
        disks: names.map((name) =>
          disk(name, {
            ...(flag && { source: 'image', image_url: `${text || 'alpine'}:1` }),
            snapshot_schedule: flag
              ? diskSchedule({ hourly: { minute: cpu, keep: cpu }, daily: null })
              : null,
          }),
        ),
        vms: names.map((name) =>
          vm(name, {
            ...{ next_cpu: cpu, persistent: flag, note: text, delete_protection: flag },
            snapshot_schedule: flag ? null : vmSchedule({ paused: cpu > 4, time_zone: 'Europe/Berlin' }),
          }),
        ),
        pools: names.map((name) => pool(name, { auto_scaling: flag, max_size: cpu + 1 })),
        sets: names.map((name) => set(name, { replicas: cpu, description: text })),
        webhooks: names.map((name) =>
          webhook(`https://${name}.test/${text}`, {
            description: flag ? `${name} ${text}`.trim() : '',
            paused: flag,
            kinds: flag ? ['failure'] : null,
          }),
        ),
      })
      const { steps, problems, kept } = planOf(ProjectFile.parse(fileOf(there)), there, { alsoDelete: true })
      expect([steps, problems, kept]).toEqual([[], [], []])
    }),
  )
})
