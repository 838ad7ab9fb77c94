/** What may be given to a VM to run at its first boot. */

/** The largest start script, in bytes of UTF-8. */
export const startScriptBytes = 64 * 1024

/** For the body of a call that may have one: a character takes up to six in JSON. */
export const startScriptBodyBytes = 8 * startScriptBytes

/** The end of the output that is kept and shown, in bytes. */
export const startScriptOutputBytes = 64 * 1024

/**
 * `waiting`: the VM has not come as far. `unknown`: the guest gives no answer, and the message says why. `none`: it was
 * created without a start script.
 */
export const startScriptStates = ['none', 'waiting', 'running', 'succeeded', 'failed', 'unknown'] as const
export type StartScriptState = (typeof startScriptStates)[number]

export const startScriptTexts = {
  tooLarge: 'The start script is larger than 64 kB. Shorten it, or have it download the rest.',
  nullCharacter: 'The start script contains a null character. Use plain text.',
  form: 'Begin the start script with #! and a program (such as #!/bin/sh), or with #cloud-config',
  lineEnds: 'The start script has Windows line endings (CRLF). Save it with LF.',
  notMapping: 'The #cloud-config is not a YAML mapping. Enter keys with values, such as packages: [nginx]',
  noCloudInit:
    'Templates that Slipway builds have no cloud-init. Begin the start script with #!, or choose another template.',
} as const

/** A program that the guest starts, or settings for its cloud-init; null for neither. */
export type StartScriptForm = 'program' | 'cloud-config'

export function startScriptForm(text: string): StartScriptForm | null {
  const [first = ''] = text.split('\n', 1)
  if (first.trimEnd() === '#cloud-config') return 'cloud-config'
  return /^#![ \t]*\//.test(first) ? 'program' : null
}

/** Bytes of a text in UTF-8. */
export const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length

/** What is wrong with a start script, as a sentence; undefined when nothing is. Whether settings are YAML is for the server. */
export function brokenStartScript(text: string): string | undefined {
  // A character has at least one byte: a huge text is not counted.
  if (text.length > startScriptBytes || utf8Bytes(text) > startScriptBytes) return startScriptTexts.tooLarge
  if (text.includes('\0')) return startScriptTexts.nullCharacter
  const form = startScriptForm(text)
  if (form === null) return startScriptTexts.form
  // The kernel would look for a program with a carriage return in its name.
  if (form === 'program' && text.split('\n', 1)[0]?.endsWith('\r')) return startScriptTexts.lineEnds
  return undefined
}
