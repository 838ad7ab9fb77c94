import { createServer } from 'node:http'
import { type AddressInfo, createServer as createListener } from 'node:net'
import { type Context, Provider } from 'oidc-provider'
import { type Server, startServer } from './server.ts'

/** What the provider says of somebody. */
interface Claims {
  email: string
  email_verified: boolean
  name: string
}

/** A real provider of OpenID Connect, with a sign-in page of its own, and a server that people can sign in to with it. */
export interface IdentityProvider {
  /** Who can sign in there, by what they type in its page. */
  people: Map<string, Claims>
  server: Server
  /** Ends the provider; the server goes on. */
  stopProvider: () => Promise<void>
  /** Ends both. */
  stop: () => Promise<void>
}

const client = { client_id: 'slipway', client_secret: 'a secret between the two, long enough' }

/** With `keptDir` the server goes on with a data directory that is there. */
export async function startIdentityProvider(
  settings: Record<string, string> = {},
  keptDir?: string,
): Promise<IdentityProvider> {
  const people = new Map<string, Claims>()
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  let handle: ReturnType<Provider['callback']> = async () => {}
  const listener = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  // For a browser this is another site than that of the console.
  const issuer = `http://localhost:${(listener.address() as AddressInfo).port}`
  handle = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [`${publicUrl}/oidc/office/callback`] }],
    cookies: { keys: ['of the test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_: Context, id: string) =>
      people.has(id) ? { accountId: id, claims: async () => ({ sub: id, ...people.get(id) }) } : undefined,
    // Nobody is asked what may be told.
    async loadExistingGrant({ oidc }: Context) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  }).callback()
  const stopProvider = () =>
    new Promise<void>((resolve) => {
      listener.close(() => resolve())
      listener.closeAllConnections()
    })
  const ofProvider = {
    SLIPWAY_PORT: String(port),
    SLIPWAY_PUBLIC_URL: publicUrl,
    SLIPWAY_OIDC: 'office',
    SLIPWAY_OIDC_OFFICE_LABEL: 'Example Office',
    SLIPWAY_OIDC_OFFICE_ISSUER: issuer,
    SLIPWAY_OIDC_OFFICE_CLIENT_ID: client.client_id,
    SLIPWAY_OIDC_OFFICE_CLIENT_SECRET: client.client_secret,
  }
  const server = await startServer({ ...ofProvider, ...settings }, keptDir).catch(async (error: unknown) => {
    await stopProvider()
    throw error
  })
  return {
    people,
    server,
    stopProvider,
    async stop() {
      await server.stop()
      await stopProvider()
    },
  }
}

/** One that nobody listens at. Its address has to be known before the server starts. */
async function freePort(): Promise<number> {
  const listener = createListener()
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  await new Promise<void>((resolve) => listener.close(() => resolve()))
  return port
}
