import { vmStatuses } from '@slipway/contract'
import { expect, it } from 'vitest'
import { choose, jumpName, jumpText, provenText, vmIdIn } from './gateway.plan.ts'

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
  const others = ['web', 'web.', '.shop', 'web.shop.', 'web.shop.x', 'Web.', '', 'web shop', id(4), jumpName]
  for (const name of others) expect(choose(name, vms, gateway)).toEqual({ to: 'nobody' })
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
  for (const [status, text] of [
    ['stopping', 'VM Web is stopping. When it has stopped, start it again.'],
    ['failed', 'VM Web is failed. Its page says why.'],
    ['starting', 'VM Web is starting. Try again when it is running.'],
  ])
    expect(choose('web.shop', [vm(1, { status })], gateway)).toEqual({
      to: 'word',
      accountIds: ['ada'],
      text,
    })
  const broken = vm(1, { status: 'error', statusMessage: 'It crashed. Start it again.' })
  expect(textOf(choose('web.shop', [broken], gateway))).toBe(
    'VM Web is in error. It crashed. Start it again.',
  )
  expect(textOf(choose('web.shop', [vm(1, { ip: null })], gateway))).toContain('has no address yet')
})

it('hands nothing to a terminal that it would obey', () => {
  const choice = choose('x-31mred.shop', [vm(1, { name: 'x\r\u001b[31mred', status: 'stopped' })], gateway)
  expect(textOf(choice)).toBe('VM x [31mred is stopped. Start it in the web console, then try again.')
})

it('names the account for which a key was proven, and how to jump to a VM', () => {
  expect(provenText({ name: 'lap\ttop', email: 'ada@example.com' })).toContain(
    'SSH key lap top is proven for the account ada@example.com.\n',
  )
  expect(jumpText(gateway).split('\n')).toEqual([
    'The user name jump is a jump host for VMs:',
    'ssh -J jump@vms.example.com:2022 root@<vm>.<project>',
    'To open a shell, name a VM:',
    'ssh <vm>.<project>@vms.example.com -p 2022',
  ])
})

it('takes nothing for an id that is none', () => {
  expect(vmIdIn('web.shop')).toBeNull()
  expect(vmIdIn(`${id(1)}0`)).toBeNull()
  expect(vmIdIn(`0${id(1)}`)).toBeNull()
})
