import { routeOf } from '@slipway/contract/endpoint.ts'
import { commonFlagNames } from './arguments.ts'
import { type Command, positionsOf, readCommands } from './commands.ts'
import { Failure } from './failure.ts'
import { ownCommands, ownVerbs } from './help.ts'
import { labelsOf, listCallOf } from './names.ts'
import { print } from './output.ts'
import { openSession } from './session.ts'
import { settingsOf } from './settings.ts'
import { kinds } from './settle.ts'

const scripts: Record<string, string> = {
  bash: `_slipway() {
  local IFS=$'\\n'
  COMPREPLY=($(slipway __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _slipway slipway`,
  zsh: `#compdef slipway
_slipway() {
  local -a candidates
  candidates=("\${(@f)$(slipway __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$candidates" ]] && compadd -- "\${candidates[@]}" || _files
}
compdef _slipway slipway`,
}

/** `slipway completion bash` */
export function printCompletion([shell = '']: readonly string[]): void {
  const script = scripts[shell]
  if (script === undefined) throw new Failure('usage', 'Usage: slipway completion bash|zsh')
  print(script)
}

/** What a shell asks: candidates for the last of the words. */
export async function complete(words: readonly string[]): Promise<void> {
  const last = words.at(-1) ?? ''
  const candidates = await candidatesFor(readCommands(), words, namesOf)
  const fitting = candidates.filter((one) => one.startsWith(last))
  if (fitting.length > 0) print(fitting.join('\n'))
}

/** All candidates for the last word; `names` lists what a parameter may name. */
export async function candidatesFor(
  commands: readonly Command[],
  words: readonly string[],
  names: (param: string, command?: Command) => Promise<string[]>,
): Promise<string[]> {
  const [noun = '', verb = ''] = words
  const own = ownCommands.map(([usage]) => usage.split(' ')[0] ?? '')
  if (words.length <= 1) return [...new Set([...own, 'help', ...commands.map((one) => one.noun)])]
  if (own.includes(noun)) {
    if (noun === 'completion') return Object.keys(scripts)
    return words.length > 2
      ? []
      : ['ssh', 'cp', 'console'].includes(noun)
        ? names('vmId')
        : ['use', 'export'].includes(noun)
          ? names('projectId')
          : []
  }
  const verbs = commands.filter((one) => one.noun === noun)
  if (words.length === 2) {
    const ours = ownVerbs.map(([usage]) => usage.split(' ')).filter(([first]) => first === noun)
    const all = [...verbs.map((one) => one.verb), ...ours.map(([, second = '']) => second)]
    return [...new Set(all), ...(kinds[noun] ? ['wait'] : [])]
  }
  const command = verbs.find((one) => one.verb === verb)
  const last = words.at(-1) ?? ''
  const before = words.at(-2) ?? ''
  if (last.startsWith('-'))
    return [...(command?.flags.map((one) => one.name) ?? []), ...commonFlagNames].map((name) => `--${name}`)
  const flag = command?.flags.find((one) => `--${one.name}` === before)
  if (flag) {
    const choices = flag.schema.enum?.map(String)
    const param = flag.name.endsWith('_id')
      ? flag.name.replace(/_(\w)/g, (_, sign) => sign.toUpperCase())
      : null
    return choices ?? (param ? names(param) : [])
  }
  if (before === '--project') return names('projectId')
  const position = words.slice(2, -1).filter((word) => !word.startsWith('-')).length
  const param = command
    ? positionsOf(command)[position]
    : verb === 'wait' && position === 0
      ? kinds[noun]?.param
      : undefined
  return param === undefined ? [] : names(param, command)
}

/** Who waits for a completion waits a second at most. */
const patienceMs = 1_000

async function namesOf(param: string, command?: Command): Promise<string[]> {
  try {
    const session = openSession(settingsOf(undefined), patienceMs)
    const list = listCallOf(param, command && routeOf(command.id).path)
    if (list === null || session.token === undefined) return []
    const inProject = routeOf(list).path.includes(':projectId')
    const params: Record<string, string> = inProject ? { projectId: await session.projectId() } : {}
    return (await session.list(list, params)).map((one) => labelsOf(one)[0] ?? one.id)
  } catch {
    // A completion has no place to complain.
    return []
  }
}
