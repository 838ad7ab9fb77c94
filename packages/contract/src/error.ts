import { z } from 'zod'

/** Body of every 4xx and of 503. An unexpected 5xx has the body `{}`, so that each screen shows its own text. */
export const ErrorBody = z.object({
  /** A sentence a person can act on. */
  message: z.string(),
  /** Stable word for programs, where the status alone is not enough. */
  code: z.string().optional(),
  /** Field name of the request body to its own sentence. */
  fields: z.record(z.string(), z.string()).optional(),
})
export type ErrorBody = z.infer<typeof ErrorBody>

export const messages = {
  notAuthenticated: 'Not authenticated',
  invalidBody: 'Invalid request body',
  crossSite: 'Cross-site request refused',
  tooManyAttempts: 'Too many attempts. Please try again later.',
  tooLarge: 'Request body is too large',
  unsupportedMediaType: 'Request body must be JSON',
  projectNotFound: 'Project not found',
  vmNotFound: 'VM not found',
  sshKeyNotFound: 'SSH key not found',
  notFound: 'Not found',
} as const
