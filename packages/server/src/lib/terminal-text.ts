/** What does something at a terminal in place of being seen: control and format characters, and breaks of lines. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** A text as the operator's terminal may be given it: one line, everything in it seen. `␛` becomes `\u{1b}`. */
export const forTerminal = (text: string): string =>
  text.replace(unseen, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
