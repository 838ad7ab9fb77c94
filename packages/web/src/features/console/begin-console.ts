import { linkOf } from './console-links.ts'
import { loadTerminal } from './use-terminal.ts'

/** Opens the line to a console and fetches the terminal, before there is anything to draw them in. */
export function beginConsole(params: { projectId: string; vmId: string }): void {
  linkOf(params)
  // What goes wrong here goes wrong again where it is shown.
  loadTerminal().catch(() => {})
}
