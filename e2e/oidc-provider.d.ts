/** What the tests use of a package that comes without types: https://github.com/panva/node-oidc-provider/blob/main/docs/README.md */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface Context {
    oidc: { provider: Provider; client?: { clientId: string }; session?: { accountId?: string } }
  }
  export class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: new (of: {
      clientId: string
      accountId: string
    }) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
  }
}
