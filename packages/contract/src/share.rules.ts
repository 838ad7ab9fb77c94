/** What a shared port may be, and its texts. */

/** Who may open a shared port: the owner of the project who is signed in, whoever has the link, everybody. */
export const shareAudiences = ['project', 'link', 'everybody'] as const
export type ShareAudience = (typeof shareAudiences)[number]

/** `http`: at an address of its own, for browsers. `tcp`: passed on as it is, from a port of the host. */
export const shareKinds = ['http', 'tcp'] as const
export type ShareKind = (typeof shareKinds)[number]

/** How many ports of one VM may be shared at once. */
export const sharesPerVm = 20

export const shareTexts = {
  portMissing: 'Enter a port from 1 to 65535',
  audienceMissing: 'Choose who may open it',
  expiryPast: 'Choose a time in the future',
  alreadyShared: 'This port is shared already',
  twice: 'Enter each port once',
  tooMany: `Share at most ${sharesPerVm} ports of a VM`,
  tcpAudience: 'A TCP port is open to everybody who reaches it; choose everybody',
  tcpOff: 'The operator of this server has not set aside ports for TCP. Use an SSH tunnel.',
  httpOff: 'The operator of this server has switched off sharing. Use an SSH tunnel.',
  noPortLeft: 'All ports set aside for sharing are in use',
  notFound: 'Shared port not found',
} as const
