import parsePrometheus from 'parse-prometheus-text-format'
import { describe, expect, it } from 'vitest'
import { newPublicKey, testApp } from '../app.test-kit.ts'

const app = await testApp()
const ada = await app.signedIn('Ada')
const make = async (url: string, body: object) =>
  ((await ada.raw('POST', url, body)).body as { id: string }).id
const projectId = await make('/api/projects', { name: 'a "quoted" \\ project' })
const sshKeyId = await make('/api/user/ssh-keys', { key_name: 'k', ssh_public_key: newPublicKey() })
const vmId = await make(`/api/projects/${projectId}/vms`, {
  name: 'web',
  template_id: 'starter',
  ssh_key_id: sshKeyId,
})
for (let i = 0; i < 6; i++) {
  await app.clock.advance(10_000)
  await app.idle()
}

const scrape = (authorization?: string) =>
  app.app.inject({ method: 'GET', url: '/metrics', headers: authorization ? { authorization } : {} })

describe('/metrics', () => {
  it('is what a Prometheus parser reads, with what every VM uses', async () => {
    const response = await scrape('Bearer operator-token')
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toContain('text/plain; version=0.0.4')
    const families = new Map(parsePrometheus(response.body).map((family) => [family.name, family]))
    const labels = { vm_id: vmId, vm: 'web', project: 'a "quoted" \\ project' }
    for (const [name, type] of [
      ['slipway_vm_cpu_seconds_total', 'COUNTER'],
      ['slipway_vm_memory_bytes', 'GAUGE'],
      ['slipway_vm_disk_read_bytes_total', 'COUNTER'],
      ['slipway_vm_disk_written_bytes_total', 'COUNTER'],
      ['slipway_vm_network_received_bytes_total', 'COUNTER'],
      ['slipway_vm_network_sent_bytes_total', 'COUNTER'],
    ] as const) {
      const family = families.get(name)
      expect(family?.type).toBe(type)
      expect(family?.metrics).toEqual([{ labels, value: expect.stringMatching(/^[\d.]+$/) }])
      expect(Number(family?.metrics[0]?.value)).toBeGreaterThan(0)
    }
    const objects = families.get('slipway_objects')?.metrics
    expect(objects).toContainEqual({ value: '1', labels: { kind: 'vm', status: 'running' } })
    expect(families.has('slipway_http_request_duration_seconds')).toBe(true)
    expect(families.has('process_cpu_seconds_total')).toBe(true)
  })

  it('counts requests by the address of the API, never by ids', async () => {
    await ada.raw('GET', `/api/projects/${projectId}/vms/${vmId}`)
    const { body } = await scrape('Bearer operator-token')
    expect(body).toContain('route="/api/projects/:projectId/vms/:vmId",status="200"')
    expect(body).not.toContain(`route="/api/projects/${projectId}`)
  })

  it.each([undefined, 'Bearer wrong', 'Bearer ', 'operator', 'Basic operator-token'])(
    '401 with the authorization %j',
    async (authorization) => {
      const response = await scrape(authorization)
      expect(response.statusCode).toBe(401)
      expect(response.headers['www-authenticate']).toBe('Bearer')
      expect(response.json()).toEqual({ message: 'Not authenticated' })
    },
  )
})
