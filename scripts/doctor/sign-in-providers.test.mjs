import { createServer } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { askProviders } from './sign-in-providers.mjs'

const server = createServer((request, response) => {
  const issuer = `http://${request.headers.host}/realms/main`
  if (request.url !== '/realms/main/.well-known/openid-configuration') return response.writeHead(404).end()
  response.end(JSON.stringify({ issuer }))
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => server.close())
const host = `http://127.0.0.1:${server.address().port}`

const problemAt = async (issuer) =>
  (await askProviders({ SLIPWAY_OIDC: 'office', SLIPWAY_OIDC_OFFICE_ISSUER: issuer }))[0]?.problem

it('asks each provider that is named, and none where none is', async () => {
  expect(await askProviders({})).toEqual([])
  expect(await askProviders({ SLIPWAY_OIDC: 'office' })).toEqual([])
  expect(await problemAt(`${host}/realms/main`)).toBeNull()
})

it('says what is wrong with one', async () => {
  expect(await problemAt(`${host}/realms/main/`)).toContain('write it in the settings exactly so')
  expect(await problemAt(`${host}/realms/other`)).toContain('responds with status 404')
  expect(await problemAt('http://127.0.0.1:1')).toContain('cannot be read')
})
