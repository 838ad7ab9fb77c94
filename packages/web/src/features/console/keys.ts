/** Keys as a terminal gets them, for screens without a keyboard. */
export const terminalKeys = {
  Esc: '\x1b',
  Tab: '\t',
  Left: '\x1b[D',
  Up: '\x1b[A',
  Down: '\x1b[B',
  Right: '\x1b[C',
} as const
export type TerminalKey = keyof typeof terminalKeys

/** What a key means together with Ctrl (ECMA-48: the code without its upper bits); others stay as they are. */
export function withCtrl(text: string): string {
  if (!/^[@-_a-z ?]$/.test(text)) return text
  return text === '?' ? '\x7f' : String.fromCharCode(text.toUpperCase().charCodeAt(0) & 0x1f)
}

/** X11 keysyms that RFB sends (RFC 6143, section 7.5.4). */
export const shiftKeysym = 0xffe1
const keysyms: Record<string, number> = { '\n': 0xff0d, '\t': 0xff09 }
const shifted = /[A-Z~!@#$%^&*()_+{}|:"<>?]/

/**
 * The keys that type a text on a keyboard with the American layout, which is the one of a machine's screen; what no
 * key of it writes is sent by its code point.
 */
export function keysOf(text: string): { keysym: number; shift: boolean }[] {
  return [...text.replace(/\r\n?/g, '\n')].map((sign) => {
    const code = sign.codePointAt(0) ?? 0
    return {
      keysym: keysyms[sign] ?? (code < 0x100 ? code : 0x01000000 + code),
      shift: shifted.test(sign),
    }
  })
}
