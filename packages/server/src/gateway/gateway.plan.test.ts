import { vmStatuses } from '@slipway/contract'
import { expect, it } from 'vitest'
import { choose, jumpName, vmIdIn } from './gateway.plan.ts'

const gateway = { host: 'vms.example.com', port: 2022 }
const id = (n: number) => `01a1ffc1-6e9d-7000-9a22-00000000000${n}`
const vm = (n: number, more: object = {}) => ({
  id: id(n),
  name: 'Web',
  projectName: 'Shop',
  accountId: 'ada',
  status: 'running',
  statusMessage: null,
  ip: '127.100.0.1',
  ...more,
})
const textOf = (choice: ReturnType<typeof choose>) => (choice.to === 'word' ? choice.text : choice.to)

it('finds a VM by the labels of its name and its project, or by its id', () => {
  const vms = [vm(1), vm(2, { name: 'Web', projectName: 'Büro 2' }), vm(3, { name: 'db' })]
  for (const [name, n] of [
    ['web.shop', 1],
    ['WEB.Shop', 1],
    ['web.buro-2', 2],
    ['db.shop', 3],
    [id(3), 3],
    [id(3).toUpperCase(), 3],
  ] as const) {
    expect(choose(name, vms, gateway)).toMatchObject({ to: 'vm', vmId: id(n) })
  }
  for (const name of [
    'web',
    'web.',
    '.shop',
    'web.shop.',
    'web.shop.x',
    'Web.',
    '',
    'web shop',
    id(4),
    jumpName,
  ]) {
    expect(choose(name, vms, gateway)).toEqual({ to: 'nobody' })
  }
})

it('names every VM that is meant, of whichever account, with a command that leads to it', () => {
  const choice = choose('web.shop', [vm(1), vm(2, { accountId: 'bob', status: 'stopped' })], gateway)
  expect(choice).toMatchObject({ to: 'word', accountIds: ['ada', 'bob'] })
  expect(textOf(choice).split('\n').slice(1)).toEqual([
    `ssh ${id(1)}@vms.example.com -p 2022  # VM Web in project Shop, running`,
    `ssh ${id(2)}@vms.example.com -p 2022  # VM Web in project Shop, stopped`,
  ])
})

it('leads to a VM that is suspended, which is started for it', () => {
  for (const status of ['suspending', 'suspended'])
    expect(choose('web.shop', [vm(1, { status, ip: null })], gateway)).toMatchObject({
      to: 'vm',
      vmId: id(1),
    })
})

it('lets nobody into a VM that does not run, and says in every status what helps', () => {
  const leading = ['running', 'suspending', 'suspended']
  for (const status of vmStatuses.filter((one) => !leading.includes(one))) {
    const text = textOf(choose('web.shop', [vm(1, { status })], gateway))
    expect(text).toContain(`VM Web is ${status === 'error' ? 'in error' : status}.`)
    expect(text).toMatch(/[Ss]tart it|Try again|page says why/)
  }
  const broken = vm(1, { status: 'error', statusMessage: 'It crashed. Start it again.' })
  expect(textOf(choose('web.shop', [broken], gateway))).toBe(
    'VM Web is in error. It crashed. Start it again.',
  )
  expect(textOf(choose('web.shop', [vm(1, { ip: null })], gateway))).toContain('has no address yet')
})

it('hands nothing to a terminal that it would obey', () => {
  const choice = choose('x-31mred.shop', [vm(1, { name: 'x\u001b[31mred', status: 'stopped' })], gateway)
  expect(textOf(choice)).toBe('VM x [31mred is stopped. Start it in the web console, then try again.')
})

it('takes nothing for an id that is none', () => {
  expect(vmIdIn('web.shop')).toBeNull()
  expect(vmIdIn(`${id(1)}0`)).toBeNull()
})
