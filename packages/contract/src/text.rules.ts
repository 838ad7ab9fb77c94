/**
 * What no line of text may have in it: control characters, what breaks lines, what turns the direction in which all
 * that follows is read, and halves of characters. They would reach logs, mails, terminals and guests. The joiners
 * inside emoji and Persian words are fine, and so are the marks of scripts that run from right to left.
 */
const hidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

/** Whether a text holds characters that are not seen where it is shown, but do something there. */
export const hasHiddenCharacters = (text: string): boolean => hidden.test(text)
