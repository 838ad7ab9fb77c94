/** The one function of ssh2's inner parts that is called by name; see leg.ts. */
declare module 'ssh2/lib/protocol/utils.js' {
  const inside: {
    /** Encrypts and writes a packet, or keeps it while keys are exchanged anew. */
    sendPacket: (protocol: object, packet: Buffer) => boolean
  }
  export default inside
}
