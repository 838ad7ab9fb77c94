/** Shared ports over the API: each status of each call, and what goes along with VMs and projects. */
import {
  hostApi,
  messages,
  type Share,
  type ShareCreate,
  shareApi,
  sharesPerVm,
  shareTexts,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import type { TestAppOptions } from '../app.test-kit.ts'
import { type Desk, deskWith } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'
import { freePorts } from './share.test-kit.ts'

const hour = 60 * 60_000
const ports = await freePorts(110)
const ways = { domain: null, httpPorts: { first: ports.first, last: ports.last - 10 }, tcpPorts: null }
const allWays = { ...ways, tcpPorts: { first: ports.last - 9, last: ports.last } }

const share = (desk: Desk, vmId: string, body: Partial<ShareCreate> | object = {}) =>
  desk.ada.call(shareApi.create, { params: { ...desk.params, vmId }, body: { port: 3000, ...body } })
const list = async (desk: Desk) => (await desk.ada.call(shareApi.list, { params: desk.params })).body
const update = (desk: Desk, shareId: string, body: object) =>
  desk.ada.call(shareApi.update, { params: { ...desk.params, shareId }, body })
const unshare = (desk: Desk, shareId: string) =>
  desk.ada.call(shareApi.delete, { params: { ...desk.params, shareId } })
/** The reasons in the log; what it tells of each call is what `recording.test` walks. */
const told = async ({ app: { db } }: Desk) => {
  const ofShares = db.selectFrom('activity').select('reason').where('object_type', '=', 'share')
  return (await ofShares.orderBy('id').execute()).map(({ reason }) => reason)
}
const refusal = (status: number, message: string) => ({ status, body: { message } })

describe('sharing a port', () => {
  it('201 with its address, in the list and told live', async () => {
    const desk = await deskWith()
    const vmId = await desk.runningVm('web')
    const { status, body } = await share(desk, vmId)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      project_id: desk.params.projectId,
      vm_id: vmId,
      vm_name: 'web',
      port: 3000,
      kind: 'http',
      audience: 'project',
      expires_at: null,
      address: 'http://web-p-3000.apps.slipway.test/',
      visits: 0,
      last_visit_at: null,
    })
    expect(await list(desk)).toEqual([body])
    await desk.app.idle()
    expect(desk.events).toContain('share')
  })

  it('with the audience link holds a secret that nobody else has, and another one after each change of the audience', async () => {
    const desk = await deskWith()
    const vmId = await desk.runningVm('web')
    const { body } = await share(desk, vmId, { audience: 'link' })
    const secretOf = ({ address }: Pick<Share, 'address'>) => /\/\?slipway=([\w-]{32})$/.exec(address)?.[1]
    expect(secretOf(body)).toBeDefined()
    const later = new Date(desk.app.clock.now() + hour).toISOString()
    const kept = await update(desk, body.id, { audience: 'link', expires_at: later })
    expect(kept).toMatchObject({ status: 200, body: { address: body.address, expires_at: later } })
    const open = await update(desk, body.id, { audience: 'everybody' })
    expect(open.body).toMatchObject({ audience: 'everybody', expires_at: null })
    expect(secretOf(open.body)).toBeUndefined()
    const again = await update(desk, body.id, { audience: 'link' })
    expect(secretOf(again.body)).toBeDefined()
    expect(secretOf(again.body)).not.toBe(secretOf(body))
  })

  it('below a domain has a name, told apart where two VMs are called the same', async () => {
    const desk = await deskWith({ share: { ...ways, domain: 'apps.test' } })
    const [one, two] = [await desk.runningVm('Web'), await desk.runningVm('web')]
    expect((await share(desk, one)).body.address).toBe('http://web-p-3000.apps.test/')
    expect((await share(desk, two)).body.address).toMatch(/^http:\/\/web-p-3000-[0-9a-f]{6}\.apps\.test\/$/)
  })

  const refused: [string, object, number, string, string?][] = [
    ['no port', { port: undefined }, 400, shareTexts.portMissing, 'port'],
    ['a port that cannot be', { port: 65_536 }, 400, shareTexts.portMissing, 'port'],
    ['an unknown audience', { audience: 'friends' }, 400, shareTexts.audienceMissing, 'audience'],
    [
      'an end in the past',
      { expires_at: '2020-01-01T00:00:00.000Z' },
      400,
      shareTexts.expiryPast,
      'expires_at',
    ],
    ['an end that is no time', { expires_at: 'soon' }, 400, shareTexts.expiryPast, 'expires_at'],
    ['TCP for some', { kind: 'tcp', audience: 'link' }, 400, shareTexts.tcpAudience, 'audience'],
    ['TCP without ports for it', { kind: 'tcp', audience: 'everybody' }, 422, shareTexts.tcpOff],
  ]
  it('400 and 422 say what is wrong, and nothing is stored', async () => {
    const desk = await deskWith()
    const vmId = await desk.runningVm('web')
    for (const [what, body, status, message, field] of refused) {
      const answer = await share(desk, vmId, body)
      expect([answer.status, answer.body], what).toEqual([
        status,
        { message, ...(field && { fields: { [field]: message } }) },
      ])
    }
    expect(await list(desk)).toEqual([])
  })

  it('404 for a VM that is being deleted', async () => {
    const desk = await deskWith()
    const vmId = await desk.runningVm('web')
    await desk.deleteVm(vmId)
    expect(await share(desk, vmId)).toMatchObject(refusal(404, messages.vmNotFound))
  })

  it('409 when it is shared already, when a VM has enough, and when no port of the host is left', async () => {
    const desk = await deskWith({
      share: { ...ways, httpPorts: { first: ports.first, last: ports.first + sharesPerVm } },
    })
    const [web, other] = [await desk.runningVm('web'), await desk.runningVm('other')]
    expect((await share(desk, web)).status).toBe(201)
    expect(await share(desk, web)).toMatchObject(refusal(409, shareTexts.alreadyShared))
    for (let port = 1; port < sharesPerVm; port++) expect((await share(desk, web, { port })).status).toBe(201)
    expect(await share(desk, web, { port: 4000 })).toMatchObject(refusal(409, shareTexts.tooMany))
    expect((await share(desk, other)).status).toBe(201)
    expect(await share(desk, other, { port: 1 })).toMatchObject(refusal(409, shareTexts.noPortLeft))
  })

  it('422 when the engine cannot, or the operator has switched it off', async () => {
    const can = clusterLimits.ports
    const try422 = async (message: string, options: TestAppOptions) => {
      const desk = await deskWith(options)
      const vmId = await desk.runningVm('web')
      expect(await share(desk, vmId)).toMatchObject(refusal(422, message))
      expect(await desk.createVm('next', { share_ports: [3000] })).toMatchObject(refusal(422, message))
      expect((await desk.ada.raw('GET', `/api/projects/${desk.params.projectId}/vms`)).body).toHaveLength(1)
    }
    await try422(can, { cannot: { ...noLimits, ports: can } })
    await try422(shareTexts.httpOff, { share: { ...ways, httpPorts: null } })
  })

  it.each([
    ['everything', allWays, null, { http: null, tcp: null }, null],
    ['no TCP', ways, null, { http: null, tcp: shareTexts.tcpOff }, null],
    ['TCP alone', { ...allWays, httpPorts: null }, null, { http: shareTexts.httpOff, tcp: null }, null],
    [
      'nothing set aside',
      { domain: null, httpPorts: null, tcpPorts: null },
      null,
      { http: shareTexts.httpOff, tcp: shareTexts.tcpOff },
      shareTexts.httpOff,
    ],
    [
      'no way of the engine',
      allWays,
      clusterLimits.ports,
      { http: clusterLimits.ports, tcp: clusterLimits.ports },
      clusterLimits.ports,
    ],
  ])('the host tells before anything is shared that there is %s', async (_, share, ports, sharing, none) => {
    const cannot = { ...noLimits, ports }
    const { ada } = await deskWith({ cannot, share })
    const { body } = await ada.call(hostApi.get)
    expect(body.sharing).toEqual(sharing)
    expect(body.cannot.ports).toBe(none)
  })

  it('of TCP has a port of the host without a scheme', async () => {
    const desk = await deskWith({ share: { ...ways, tcpPorts: { first: 9000, last: 9001 } } })
    const vmId = await desk.runningVm('db')
    const { status, body } = await share(desk, vmId, { port: 5432, kind: 'tcp', audience: 'everybody' })
    expect([status, body.address]).toEqual([201, 'slipway.test:9000'])
    const shut = await update(desk, body.id, { audience: 'project' })
    expect(shut).toMatchObject(refusal(400, shareTexts.tcpAudience))
  })
})

describe('a share', () => {
  it('is deleted once, and its address is another one afterwards', async () => {
    const desk = await deskWith()
    const vmId = await desk.runningVm('web')
    const { body } = await share(desk, vmId)
    expect((await unshare(desk, body.id)).status).toBe(204)
    expect(await list(desk)).toEqual([])
    expect(await unshare(desk, body.id)).toMatchObject(refusal(404, shareTexts.notFound))
    expect(await told(desk)).toEqual(['For people of the project.', null])
  })

  it('ends as soon as its VM is to be deleted', async () => {
    const desk = await deskWith()
    const vmId = await desk.runningVm('web')
    await share(desk, vmId)
    expect((await desk.deleteVm(vmId)).status).toBe(204)
    expect(await list(desk)).toEqual([])
    expect((await told(desk)).at(-1)).toBe('VM web was deleted.')
    await desk.app.idle()
    expect(desk.events.filter((event) => event === 'share')).toHaveLength(2)
  })
})

describe('a VM that is created with ports to share', () => {
  it('has them shared with the project at once', async () => {
    const desk = await deskWith()
    const { status, body } = await desk.createVm('web', { share_ports: [3000, 8080] })
    expect(status).toBe(201)
    expect(await list(desk)).toMatchObject([
      { vm_id: body.id, port: 3000, audience: 'project', kind: 'http' },
      { vm_id: body.id, port: 8080, audience: 'project', kind: 'http' },
    ])
  })

  it('400 for ports that cannot be, twice the same, or too many; 409 when no port is left: no VM is created', async () => {
    const desk = await deskWith({
      share: { ...ways, httpPorts: { first: ports.first, last: ports.first + 1 } },
    })
    const many = Array.from({ length: sharesPerVm + 1 }, (_, i) => i + 1)
    for (const [ports, status, message] of [
      [[0], 400, shareTexts.portMissing],
      [[3000, 3000], 400, shareTexts.twice],
      [many, 400, shareTexts.tooMany],
      [[1, 2, 3], 409, shareTexts.noPortLeft],
    ] as const)
      expect(await desk.createVm('web', { share_ports: ports })).toMatchObject(refusal(status, message))
    expect((await desk.ada.raw('GET', `/api/projects/${desk.params.projectId}/vms`)).body).toEqual([])
    expect(await list(desk)).toEqual([])
  })
})

describe('the ports that a guest listens on', () => {
  it('are told of one that runs, and unknown of one that does not', async () => {
    const desk = await deskWith()
    const vmId = await desk.runningVm('web')
    const ports = () => desk.ada.call(shareApi.ports, { params: { ...desk.params, vmId } })
    expect(await ports()).toMatchObject({ status: 200, body: { ports: [22, 3000] } })
    await desk.act('stop', vmId)
    await desk.pass()
    expect(await ports()).toMatchObject({ status: 200, body: { ports: null } })
  })
})
