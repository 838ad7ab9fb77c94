const dateTime = new Intl.DateTimeFormat('en-US', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
  timeZone: 'UTC',
})

/** A moment of the API as the browser of the tests writes it; see the locale and time zone in playwright.config.ts. */
export const shownMoment = (iso: string): string => dateTime.format(new Date(iso))
