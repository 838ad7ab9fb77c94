import { z } from 'zod'

/** Body of every 4xx and of 503. An unexpected 5xx has the body `{}`, so that each screen shows its own text. */
export const ErrorBody = z
  .object({
    /** A sentence a person can act on. */
    message: z.string(),
    /** Stable word for programs, where the status alone is not enough. */
    code: z.string().optional(),
    /** Field name of the request body to its own sentence. */
    fields: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>
