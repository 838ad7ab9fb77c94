/** Tokens of earlier versions begin with no such thing: their alphabet has no dot. */
const mark = 'h.'

/** A session token that no cookie carries over https but the one that belongs to this host alone. */
export const markedToken = (random: string): string => mark + random

export const isMarked = (token: string): boolean => token.startsWith(mark)
