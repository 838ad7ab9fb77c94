import { z } from 'zod'
import { apiTokenAccesses, apiTokenDays, apiTokenTexts } from './api-token.rules.ts'
import { endpoint } from './endpoint.ts'
import { proofTexts } from './proof.rules.ts'
import { Id, name, Time } from './text.ts'

const t = apiTokenTexts

const Access = z.enum(apiTokenAccesses, { error: t.accessMissing }).meta({ id: 'ApiTokenAccess' })

export const ApiToken = z.object({
  id: Id,
  name: z.string(),
  /** `write` includes reading. */
  access: Access,
  /** Null: all projects of the account, also those that come later. Empty once all chosen ones are deleted. */
  project_ids: z.array(Id).nullable(),
  created_at: Time,
  expires_at: Time,
  /** To the minute; null when it was not used yet. */
  last_used_at: Time.nullable(),
})
export type ApiToken = z.infer<typeof ApiToken>

export const ApiTokenCreate = z.object({
  name: name(t.nameMissing),
  access: Access,
  project_ids: z
    .array(Id, { error: t.projectsMissing })
    .min(1, t.projectsMissing)
    .max(100, 'Choose at most 100 projects, or all')
    .nullable(),
  expires_in_days: z
    .int({ error: t.invalidExpiry })
    .min(apiTokenDays.min, t.invalidExpiry)
    .max(apiTokenDays.max, t.invalidExpiry)
    .default(apiTokenDays.default),
})
export type ApiTokenCreate = z.infer<typeof ApiTokenCreate>

/** The only answer that has the token itself. */
export const ApiTokenCreated = ApiToken.extend({ token: z.string() })
export type ApiTokenCreated = z.infer<typeof ApiTokenCreated>

export const apiTokenApi = {
  list: endpoint('apiToken.list', {
    summary: "The user's API tokens, without the tokens themselves",
    auth: 'session',
    status: 200,
    response: z.array(ApiToken),
  }),
  // Not idempotent: a key keeps its answer, and this one must not be kept.
  create: endpoint('apiToken.create', {
    summary: 'Create an API token; only this response contains it',
    auth: 'session',
    status: 201,
    body: ApiTokenCreate,
    response: ApiTokenCreated,
    errors: {
      400: [t.nameMissing, t.accessMissing, t.projectsMissing, t.unknownProject, t.invalidExpiry],
      403: [proofTexts.needed],
      409: [t.tooMany],
    },
  }),
  delete: endpoint('apiToken.delete', {
    summary: 'Revoke an API token; its event streams and consoles end at once',
    auth: 'session',
    status: 204,
    params: z.object({ apiTokenId: Id }),
    errors: { 404: [t.notFound] },
  }),
}
