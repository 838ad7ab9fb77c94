/** A project that waits for its next owner. */

/** How long somebody who is asked can take a project over. */
export const handOverDays = 7

export const handOverTexts = {
  notFound: 'No hand-over of this project waits to be accepted. Ask its owner to hand it over again.',
  notForYou: 'Another member of the project was asked to take it over.',
  isOwner: 'This member is the owner already.',
} as const
