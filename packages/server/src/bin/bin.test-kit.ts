/** The bin of the project of a desk, and what the engine and the database hold of what was deleted. */
import { binApi } from '@slipway/contract'
import { expect } from 'vitest'
import type { Desk } from '../desk.test-kit.ts'

type Person = Pick<Desk['ada'], 'call'>

export const dayMs = 24 * 60 * 60_000

export function binOf({ app, ada, params, at }: Desk) {
  const { engine, db } = app
  return {
    list: async () => (await ada.call(binApi.list, { params })).body,
    restore: (id: string, by: Person = ada) => by.call(binApi.restore, at('itemId', id)),
    drop: (id: string, by: Person = ada) => by.call(binApi.delete, at('itemId', id)),
    /** The same person some days later: their session is over. */
    async later() {
      const { email, password } = ada
      const { cookie } = await app.client().raw('POST', '/api/auth/signin', { email, password })
      const client = app.client(cookie)
      const list = async (what: string) =>
        (await client.raw('GET', `/api/projects/${params.projectId}/${what}`)).body
      return { ...client, list }
    },
    powers: async () => {
      const ids = [...(await engine.list()).keys()].sort()
      return Promise.all(ids.map(async (id) => (await engine.inspect(id)).power))
    },
    async isAllGone() {
      expect([...(await engine.list()).keys()]).toEqual([])
      for (const kind of ['machine', 'volume'] as const) expect(await engine.listSnapshots(kind)).toEqual([])
      expect(await engine.listVolumes()).toEqual([])
      const tables = ['vm', 'disk', 'vm_snapshot', 'disk_snapshot', 'vm_group', 'share'] as const
      for (const table of [...tables, 'bin', 'bin_member'] as const)
        expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([])
    },
  }
}
