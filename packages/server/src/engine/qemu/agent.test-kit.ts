import { type Agent, AgentRefusal } from './agent-line.ts'

/** An agent of a guest with these files. */
export function agentOf(files: Record<string, string | Buffer>) {
  const open: { bytes: Buffer; at: number }[] = []
  const closed: unknown[] = []
  return {
    /** The handles that were closed. */
    closed,
    async execute(command, args) {
      if (command === 'guest-file-open') {
        const content = files[String(args.path)]
        if (content === undefined) throw new AgentRefusal('The guest agent refused')
        return open.push({ bytes: Buffer.from(content), at: 0 }) - 1
      }
      const file = open[Number(args.handle)]
      if (!file) throw new AgentRefusal('The guest agent refused')
      if (command === 'guest-file-close') return void closed.push(args.handle)
      if (command === 'guest-file-seek') {
        const at = file.bytes.length + Number(args.offset)
        if (at < 0) throw new AgentRefusal('The guest agent refused')
        file.at = at
        return { position: at, eof: false }
      }
      if (command !== 'guest-file-read') return {}
      const bytes = file.bytes.subarray(file.at, file.at + Number(args.count))
      file.at += bytes.length
      return { count: bytes.length, 'buf-b64': bytes.toString('base64'), eof: file.at === file.bytes.length }
    },
    close: () => {},
  } satisfies Agent & { closed: unknown[] }
}
