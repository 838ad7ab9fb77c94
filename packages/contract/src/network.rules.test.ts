import { describe, expect, it } from 'vitest'
import { networkDomainOf, networkLabels, networkNames, networkNamesOf } from './network.rules.ts'

const names = (
  vms: Record<string, string>,
  groups: Record<string, [name: string, ...running: string[]]> = {},
) =>
  networkNames(
    Object.entries(vms).map(([id, name]) => ({ id, name })),
    Object.entries(groups).map(([id, [name, ...running]]) => ({ id, name, running })),
  )

describe('what names end in', () => {
  it.each([
    ['shop', 'shop.internal'],
    ['Übung 3', 'ubung-3.internal'],
    ['🚀', 'project.internal'],
    ['vm', 'vm.internal'],
  ])('%s is %s', (name, domain) => {
    expect(networkDomainOf({ id: 'p1', name }, '{label}.internal')).toBe(domain)
  })

  it('is what the engine has for its end, which may know a project by its id alone', () => {
    expect(networkDomainOf({ id: 'p1', name: 'shop' }, 'vms.slipway-{id}.svc')).toBe('vms.slipway-p1.svc')
  })
})

describe('whom a name means', () => {
  it('means a VM by its name and by its id', () => {
    expect(names({ a: 'Web 1', b: 'db' })).toEqual({ 'web-1': ['a'], a: ['a'], db: ['b'], b: ['b'] })
  })

  it('means all running members of a group, and nothing while none runs', () => {
    expect(names({ a: 'etcd-1', b: 'etcd-2' }, { g: ['etcd', 'a', 'b'], h: ['idle'] })).toEqual({
      'etcd-1': ['a'],
      a: ['a'],
      'etcd-2': ['b'],
      b: ['b'],
      etcd: ['a', 'b'],
      g: ['a', 'b'],
    })
  })

  it.each([
    ['two VMs of one name', { a: 'web', b: 'web' }, {}],
    ['names that are alike as labels', { a: 'We b', b: 'we-b' }, {}],
    ['a VM and a group', { a: 'web', b: 'x' }, { g: ['web', 'b'] }],
    ['a VM and a group without a running member', { a: 'web' }, { g: ['Web'] }],
    ['two groups', { a: 'x', b: 'y' }, { g: ['web', 'a'], h: ['web', 'b'] }],
    ['names of which nothing is left', { a: '🚀', b: '🎉' }, {}],
  ] as const)('means nobody who is one of several: %s', (_, vms, groups) => {
    const all = names(vms, groups as never)
    for (const label of ['web', 'we-b', 'vm']) expect(all).not.toHaveProperty(label)
    for (const id of Object.keys(vms)) expect(all[id]).toEqual([id])
  })

  it('means by an id whose it is, whoever is called so', () => {
    expect(names({ 'id-1': 'x', 'id-2': 'id-1' })).toEqual({
      x: ['id-1'],
      'id-1': ['id-1'],
      'id-2': ['id-2'],
    })
    expect(names({ 'id-1': 'g-1' }, { 'g-1': ['set'] })).toEqual({ 'id-1': ['id-1'] })
    expect(names({ 'id-1': 'id-1' })).toEqual({ 'id-1': ['id-1'] })
  })

  it('takes names that objects of JavaScript have, too', () => {
    expect(Object.entries(names({ a: 'constructor', b: 'toString', c: '__proto__' }))).toEqual([
      ['constructor', ['a']],
      ['a', ['a']],
      ['tostring', ['b']],
      ['b', ['b']],
      ['proto', ['c']],
      ['c', ['c']],
    ])
  })

  it('has nothing but labels in it', () => {
    for (const name of ['.', 'a.b', '-x-', 'X'.repeat(100), 'über uns', '../..', '*', 'a\u0000b'])
      for (const label of Object.keys(names({ a: name })))
        expect(label).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
  })
})

describe('what somebody is called', () => {
  it('is the name, or the id where that is not the only one', () => {
    const all = [
      { id: 'a', name: 'Web' },
      { id: 'b', name: 'db' },
      { id: 'c', name: 'DB' },
      { id: 'd', name: 'a' },
    ]
    expect([...networkLabels(all)]).toEqual([
      ['a', 'web'],
      ['b', 'b'],
      ['c', 'c'],
      ['d', 'd'],
    ])
  })

  it('works alone and with the domain, the shortest first', () => {
    expect(networkNamesOf('web', 'shop.internal')).toEqual(['web', 'web.shop.internal'])
  })
})
