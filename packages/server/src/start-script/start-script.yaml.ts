import { isMap, parseDocument } from 'yaml'

/**
 * Whether a text is a YAML mapping, as cloud-init reads it (YAML 1.1). Nothing is made of it, so aliases that grow
 * without end cost nothing.
 */
export function isMapping(text: string): boolean {
  try {
    const { errors, contents } = parseDocument(text, {
      version: '1.1',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
    })
    return errors.length === 0 && isMap(contents)
  } catch {
    // Nested so deep that the parser gives up.
    return false
  }
}
