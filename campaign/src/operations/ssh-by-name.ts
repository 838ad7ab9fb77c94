/** SSH through the gateway, by the name of a VM: with a key of its owner, or with one that must stay outside. */
import { hostApi, sshNameOf } from '@slipway/contract'
import { type Answer, requestOf } from '../client.ts'
import { ssh } from '../ssh.ts'
import { objectOf, ownedBy } from '../world.ts'
import { chooseIn, type Errand, type Operation } from './operation.ts'

const patienceMs = 60_000

/** Users have addresses of their own, so that the tries of strangers shut out nobody else. */
const addressOf = (user: number, isOwner: boolean) => `127.9.${isOwner ? 0 : 1}.${(user % 250) + 1}`

async function gatewayPort({ person: { client } }: Errand): Promise<number | null> {
  const answer = await client.send(requestOf(hostApi.get))
  if (answer?.status !== 200) return null
  return (JSON.parse(answer.text) as { ssh_gateway: { port: number } | null }).ssh_gateway?.port ?? null
}

/** 200: a shell in the guest. 409: a sentence says why there is none. 403: this key is not let in. */
async function visit(errand: Errand): Promise<Answer | null> {
  const { world, args } = errand
  const port = await gatewayPort(errand)
  const [vm, key] = [objectOf(world, args.on), objectOf(world, args.key)]
  if (port === null) return null
  const isOwner = key.user === vm.user
  // Whoever is let in starts it, also when the answer comes too late.
  if (isOwner && vm.power === 'suspended') vm.power = null
  const user = sshNameOf(vm, objectOf(world, String(vm.project)))
  const { code, output } = await ssh({
    user,
    address: '127.0.0.1',
    port,
    key: key.name,
    command: 'true',
    timeoutMs: patienceMs,
    from: addressOf(key.user, isOwner),
  })
  // How long it takes is up to the guest.
  const answer = (status: number): Answer => ({ status, text: output, headers: {}, took: 0 })
  if (code === 0) return answer(200)
  if (output.includes('Permission denied')) return answer(403)
  return output.includes(`VM ${vm.name} `) ? answer(409) : null
}

export const sshByName: Operation = {
  weight: 1.5,
  endpoint: null,
  choose(choice) {
    const { world, random } = choice
    const vm = chooseIn(choice, 'vm')
    const keys = [...world.objects.values()].filter(({ kind, fate }) => kind === 'sshKey' && fate === 'there')
    const key = random.chance(0.7) ? chooseIn(choice, 'sshKey') : random.pick(keys)
    return vm && key ? { on: vm.handle, key: key.handle } : null
  },
  parts: () => ({}),
  send: visit,
  judge(world, args, { status }) {
    const [vm, key] = [objectOf(world, args.on), objectOf(world, args.key)]
    const who = `SSH by name to VM ${vm.name} of user ${vm.user} with key ${key.name} of user ${key.user}`
    if (key.user !== vm.user)
      return status === 403 ? null : { rule: 'let in', message: `${who} answered ${status}` }
    const isHers = [vm, key].every((one) => ownedBy(world, one.user, one.kind).includes(one))
    // Its group may be replacing it at this moment.
    if (vm.handle.includes('/')) return null
    return status === 403 && isHers ? { rule: 'shut out', message: `${who} was refused` } : null
  },
}
