export const adminMailTexts = {
  refused: 'Only administrators (SLIPWAY_ADMINS) can see the mails of the server',
  notFound: 'Mail not found',
  sent: 'This mail was sent already.',
  beingSent: 'This mail is being sent at the moment.',
  over: 'The link in this mail no longer works, so it is not sent again. Ask the person to request a new one.',
  unreadable: 'It cannot be decrypted: it was queued with another key (SLIPWAY_FACTOR_KEY or factor.key).',
  expired: 'It was not sent before the link in it stopped working.',
} as const

/** `waiting`: not sent yet. `failed`: not tried any more. */
export const adminMailStates = ['waiting', 'sent', 'failed'] as const
export type AdminMailState = (typeof adminMailStates)[number]

/** How many mails an answer has at most. */
export const adminMailPage = { default: 50, max: 200 } as const
