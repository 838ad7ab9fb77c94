import type { ErrorBody } from './error.ts'

/** The parts of an error answer that a screen can show; an answer of any other shape has none. */
export function readError(answer: unknown): Partial<Pick<ErrorBody, 'message' | 'code' | 'fields'>> {
  const { message, code: word, fields } = Object(answer) as Record<string, unknown>
  if (typeof message !== 'string') return {}
  const said = { message, ...(typeof word === 'string' && { code: word }) }
  if (!fields || Array.isArray(fields) || !Object.values(fields).every((text) => typeof text === 'string'))
    return said
  // Every value was looked at.
  return { ...said, fields: fields as Record<string, string> }
}
