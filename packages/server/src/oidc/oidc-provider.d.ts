/** What the tests use of a package that comes without types: https://github.com/panva/node-oidc-provider/blob/main/docs/README.md */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }
  export interface Context {
    oidc: { provider: Provider; client?: { clientId: string }; session?: { accountId?: string } }
  }
  export class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: new (of: {
      clientId: string
      accountId: string
    }) => Grant
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { login: { accountId: string } } | { error: string },
    ): Promise<void>
    on(event: string, listener: (...args: unknown[]) => void): void
  }
}
