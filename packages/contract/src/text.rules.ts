/**
 * What no line of text may have in it: control characters, what breaks lines, what turns the direction in which all
 * that follows is read, and halves of characters. They would reach logs, mails, terminals and guests. The joiners
 * inside emoji and Persian words are fine, and so are the marks of scripts that run from right to left.
 */
const hidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

/** Whether a text holds characters that are not seen where it is shown, but do something there. */
export const hasHiddenCharacters = (text: string): boolean => hidden.test(text)

/** The longest name there is, in UTF-16 units. */
export const nameLimit = 100

/** As much of a text as has room, cut between characters as people see them: no emoji is left in half. */
export function cutToFit(text: string, length: number): string {
  if (text.length <= length) return text
  const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)
  return text.slice(0, characters.containing(length)?.index)
}
