const dateTime = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

/** A moment of the API as the browser of the tests writes it; see the locale and time zone in playwright.config.ts. */
export const shownMoment = (iso: string): string => dateTime.format(new Date(iso))
