import { z } from 'zod'

/** How something is deleted. */
export const ForGood = z.object({
  /** Delete it at once, without keeping it in the bin. */
  for_good: z.enum(['true', 'false']).optional(),
})
