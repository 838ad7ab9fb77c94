/** Prints to whoever started the command; a reader that has gone away ends it quietly. */
export const print = (text: string): void =>
  void process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)

/** What is beside the answer: not part of what another program reads. */
export const note = (text: string): void => void process.stderr.write(`${text}\n`)

/** Passes on what comes, as it comes. */
export async function pass(stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of stream) {
    if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once('drain', resolve))
  }
}
