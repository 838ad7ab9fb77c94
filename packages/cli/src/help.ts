import { type Command, usageOf } from './commands.ts'
import { paramOfField } from './names.ts'
import { kinds } from './settle.ts'
import { isSwitch, kindOf } from './values.ts'

/** Commands that are more than one call, with what they take. */
export const ownCommands: readonly (readonly [usage: string, summary: string])[] = [
  ['login --server URL', 'Sign in with an API token, which is asked for or read from standard input'],
  ['logout', 'Remove the token from this computer'],
  ['use PROJECT', 'Select the project of commands that name none'],
  ['ssh VM [ssh options] [-- COMMAND]', 'Open a shell in a VM, or run a command in it'],
  ['cp [-r] FROM TO', 'Copy files to a VM or from it; one of the two is VM:PATH'],
  ['console VM', 'Open the serial console of a VM; Ctrl-] leaves'],
  ['export [PROJECT] [--start-scripts]', 'Print a project as a file'],
  ['plan FILE [--delete]', 'Show what would be done to make a project as a file says'],
  ['apply FILE [--delete]', 'Do it; with --delete, also delete what the file does not have'],
  ['completion bash|zsh', 'Print the completion of a shell'],
]

/** The same below nouns of the API. */
export const ownVerbs: readonly (readonly [usage: string, summary: string])[] = [
  [
    'disk upload FILE [--name NAME]',
    'Create a disk from a file; run it again after an interruption to go on',
  ],
  ['batch wait BATCH', 'Wait until a batch has made all its calls, and fail if one was refused'],
  ['disk download DISK FILE', 'Save a disk that is on no VM as a qcow2 file'],
  ['disk-snapshot download SNAPSHOT FILE', 'Save a disk snapshot as a qcow2 file'],
]

const commonHelp = `  --project NAME   project of the command, in place of the selected one
  --json           print the answer of the API unchanged
  --help           explain a command`

const lineLength = 100

/** Two columns; what is long on the right goes on below. */
const columns = (rows: readonly (readonly [string, string])[]): string => {
  const wide = Math.max(0, ...rows.map(([left]) => left.length))
  const indent = ' '.repeat(wide + 4)
  const wrapped = (text: string) =>
    text
      .replace(new RegExp(`(.{1,${Math.max(20, lineLength - wide - 4)}})(?: +|$)`, 'g'), `$1\n${indent}`)
      .trimEnd()
  return rows.map(([left, right]) => `  ${left.padEnd(wide)}  ${wrapped(right)}`.trimEnd()).join('\n')
}

/** `slipway help` */
export function overview(commands: readonly Command[]): string {
  const nouns = [...new Set(commands.map(({ noun }) => noun))].toSorted()
  const rows = nouns.map((noun): [string, string] => {
    const verbs = commands.filter((one) => one.noun === noun).map(({ verb }) => verb)
    return [noun, verbs.join(', ')]
  })
  return `Usage: slipway COMMAND [ARGUMENTS]

${columns([...ownCommands, ...ownVerbs])}

Commands of the API: slipway NOUN VERB
${columns(rows)}

Flags of all commands
${commonHelp}

\`slipway NOUN --help\` and \`slipway NOUN VERB --help\` say more.`
}

/** `slipway vm --help` */
export function helpOfNoun(noun: string, commands: readonly Command[]): string {
  const rows = commands.map((one): [string, string] => [usageOf(one), one.summary])
  for (const [usage, summary] of ownVerbs) if (usage.startsWith(`${noun} `)) rows.push([usage, summary])
  if (kinds[noun])
    rows.push([`${noun} wait ${noun.toUpperCase()}`, 'Wait until it has settled, or has the status of --for'])
  return `Usage: slipway ${noun} VERB\n\n${columns(rows)}`
}

/** `slipway vm create --help` */
export function helpOfCommand(command: Command): string {
  const required = command.flags.filter((flag) => flag.required)
  const given = required.map(({ name, schema }) => ` --${name} ${kindOf(schema)}`).join('')
  const rows = command.flags.map(({ name, schema, required }): [string, string] => {
    const kind = isSwitch(schema) ? '' : ` ${kindOf(schema)}`
    const about = [
      ...(required ? ['required'] : []),
      ...(paramOfField(name) ? ['name or id'] : []),
      ...(schema.default === undefined || schema.default === ''
        ? []
        : [`default ${JSON.stringify(schema.default)}`]),
    ]
    return [`--${name}${kind}`, about.join(', ')]
  })
  const waits = kinds[command.noun] && command.verb !== 'list' && command.verb !== 'get'
  const until = waits ? 'it has settled' : command.id === 'batch.create' ? 'all its calls were made' : null
  const who = {
    token: '',
    anyone: '',
    operator: "\n\nTakes the operator's token of this installation in place of an API token.",
    person: '\n\nAPI tokens cannot be used for this: the server refuses them. Use the console instead.',
  }[command.by]
  return `${command.summary}

Usage: slipway ${usageOf(command)}${given}${rows.length > required.length ? ' [FLAGS]' : ''}
${rows.length > 0 ? `\n${columns(rows)}\n` : ''}
${until ? `  --wait           wait until ${until}\n  --timeout SECS   longest wait, default 600\n` : ''}${commonHelp}${who}`
}
