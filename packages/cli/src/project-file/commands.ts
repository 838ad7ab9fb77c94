/** `slipway export`, `slipway plan` and `slipway apply`. */
import { type Arguments, parseArguments } from '../arguments.ts'
import type { Flag } from '../commands.ts'
import { Failure } from '../failure.ts'
import { note, print } from '../output.ts'
import { openSession, type Session } from '../session.ts'
import { settingsOf } from '../settings.ts'
import { applyPlan, findSources, type WebhookSecret } from './apply.ts'
import { lineOf, textOf } from './lines.ts'
import { planOf, type Step } from './plan.ts'
import { readProjectFile } from './read.ts'
import { seeProject } from './seen.ts'
import { writeProjectFile } from './write.ts'

const aSwitch = (name: string): Flag => ({
  name,
  where: 'query',
  required: false,
  schema: { type: 'boolean' },
})

/** `slipway export [PROJECT]`: prints a project as a file. */
export async function exportProject(words: readonly string[]): Promise<void> {
  const { positions, values, common } = parseArguments(words, [aSwitch('start_scripts')])
  const [project = common.project, ...others] = positions
  if (others.length > 0 || common.help) throw usage('export [PROJECT] [--start-scripts]')
  const session = openSession(settingsOf(project))
  const projectId = await session.projectId()
  const seen = await seeProject(session, projectId)
  const withScripts = values.get('start_scripts') === true
  const scriptOf = withScripts && (({ id }: { id: string }) => scriptIn(session, projectId, id))
  print(await writeProjectFile(seen, scriptOf || undefined))
  if (!withScripts) note('Start scripts are left out, as they may hold secrets. --start-scripts adds them.')
}

const scriptIn = async (session: Session, projectId: string, vmId: string): Promise<string | null> =>
  (await session.ask('startScript.get', { params: { projectId, vmId } })).script

/** `slipway plan FILE`: prints what `apply` would do. */
export async function planFile(words: readonly string[]): Promise<void> {
  const { plan, file, common } = await planned('plan', words)
  print(common.json ? JSON.stringify(plan) : textOf(plan, file))
  if (plan.problems.length > 0) throw new Failure('failed', refused)
}

/** `slipway apply FILE`: makes a project as the file says. */
export async function applyFile(words: readonly string[]): Promise<void> {
  const { session, plan, file, seen, sources, common } = await planned('apply', words)
  if (plan.problems.length > 0) {
    print(common.json ? JSON.stringify(plan) : textOf(plan, file))
    throw new Failure('failed', refused)
  }
  let taken = 0
  const secrets: WebhookSecret[] = []
  const on = {
    onStep(step: Step) {
      taken += 1
      if (!common.json) print(lineOf(step, file))
    },
    onSecret(made: WebhookSecret) {
      secrets.push(made)
      if (!common.json) print(secretLine(made))
    },
  }
  await applyPlan(session, { plan, file, seen, sources }, on).catch((error: unknown) => {
    if (common.json) for (const made of secrets) note(secretLine(made))
    if (!(error instanceof Failure)) throw error
    const left = `Steps done: ${taken - 1} of ${plan.steps.length}. Apply the file again to go on.`
    throw new Failure(error.exit, `${error.message}\n${left}`)
  })
  if (common.json) print(JSON.stringify({ ...plan, secrets }))
  else print(plan.steps.length > 0 ? 'Done.' : textOf(plan, file))
}

const secretLine = ({ webhook, secret }: WebhookSecret) =>
  `  The secret of webhook ${webhook}, which is not shown again: ${secret}`

const refused = 'Nothing was changed.'

async function planned(verb: string, words: readonly string[]) {
  const { positions, values, common }: Arguments = parseArguments(words, [aSwitch('delete')])
  const [path, ...others] = positions
  if (path === undefined || others.length > 0 || common.help) throw usage(`${verb} FILE [--delete] [--json]`)
  const read = await readProjectFile(path)
  const file = { ...read, project: common.project ?? read.project }
  const session = openSession(settingsOf(file.project))
  const seen = await seeProject(session, file.project)
  const plan = planOf(file, seen, { alsoDelete: values.get('delete') === true })
  const sources = await findSources(session, file, plan)
  return { session, plan, file, seen, sources, common }
}

const usage = (text: string) => new Failure('usage', `Usage: slipway ${text}`)
