export const noticeTexts = {
  refused: 'Only administrators (SLIPWAY_ADMINS) can set the notice',
  missing: 'Please enter the text of the notice',
  tooLong: 'Use at most 300 characters for the notice',
  hidden: 'Use one line of text without control characters',
  tone: 'Choose info or warn',
  none: 'There is no notice',
} as const

/** The longest text of a notice, in UTF-16 units: a few lines on a phone. */
export const noticeLimit = 300

/** `warn` is for what people should prepare for, such as an outage. */
export const noticeTones = ['info', 'warn'] as const
