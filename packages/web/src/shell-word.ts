/** A text as one word of a shell, whatever is in it. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
