/**
 * From "Create VM" (the POST) to the first login over SSH, against QEMU started by hand: same image, same flags,
 * same seed, in turns, so that both see the same load.
 */
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectApi, sshKeyApi, templateApi, type Vm, vmApi } from '@slipway/contract'
import { clear, guestsOf, newDataDir, newKeyPair, startRealServer } from '@slipway/e2e/real'
import { byHand, logIn, type Recipe, recipeOf } from './bare-guest.ts'
import { newPerson, type Person } from './person.ts'
import { quantile, report } from './report.ts'

/** Creates a VM and logs in; milliseconds until then, and until the POST was answered. */
export async function viaSlipway(
  person: Person,
  params: { projectId: string },
  body: { template_id: string; ssh_key_id: string },
  key: string,
) {
  const start = performance.now()
  let vm: Vm = await person.call(vmApi.create, { params, body: { ...body, name: 'bench' } })
  const post = performance.now() - start
  while (vm.status !== 'running') {
    if (vm.status === 'failed') throw new Error(vm.status_message ?? 'failed')
    await sleep(20)
    vm = await person.call(vmApi.get, { params: { ...params, vmId: vm.id } })
  }
  await logIn(vm.ip_address ?? '', vm.ssh_port, key)
  return { total: performance.now() - start, post, vm }
}

/** The image is made before the clock runs. */
export async function prepare(person: Person, templateId: string): Promise<void> {
  for (;;) {
    const { image } = await person.call(templateApi.prepare, { params: { templateId } })
    if (image.state === 'ready') return
    if (image.state === 'failed') throw new Error(image.message ?? 'failed')
    await sleep(1000)
  }
}

export const benchStarterToSsh = () => benchCreateToSsh('starter', 5)
export const benchBaseToSsh = () => benchCreateToSsh('base', 3)

async function benchCreateToSsh(templateId: string, turns: number): Promise<boolean> {
  const dataDir = await newDataDir()
  const server = await startRealServer(dataDir)
  let recipe: Recipe | null = null
  try {
    const person = await newPerson(server)
    const { file, publicKey } = await newKeyPair(dataDir)
    const key = await person.call(sshKeyApi.create, {
      body: { key_name: 'bench', ssh_public_key: publicKey },
    })
    const project = await person.call(projectApi.create, { body: { name: 'bench' } })
    const params = { projectId: project.id }
    const body = { template_id: templateId, ssh_key_id: key.id }
    await prepare(person, templateId)
    const slipway: number[] = []
    const posts: number[] = []
    const bare: number[] = []
    // The first turn warms the page cache for both and is not counted.
    for (let turn = 0; turn <= turns; turn++) {
      const { total, post, vm } = await viaSlipway(person, params, body, file)
      const guest = (await guestsOf(dataDir))[0]
      if (guest && !recipe) recipe = await recipeOf(guest.pid)
      await person.call(vmApi.delete, { params: { ...params, vmId: vm.id } })
      while ((await guestsOf(dataDir)).length > 0) await sleep(100)
      if (!recipe) throw new Error('the guest was not found')
      const hand = await byHand(recipe, file)
      if (turn === 0) continue
      slipway.push(total)
      posts.push(post)
      bare.push(hand)
    }
    const ratios = slipway.map((ms, i) => ms / (bare[i] ?? Number.NaN))
    return report(
      `Create to first SSH login, ${templateId}, ${turns} turns, ${server.output().match(/TCG|KVM/)?.[0] ?? ''}`,
      [
        { what: 'POST alone, median', value: quantile(posts, 0.5), unit: 'ms', goal: 50 },
        { what: 'POST to login, median', value: quantile(slipway, 0.5) / 1000, unit: 's', goal: null },
        { what: 'QEMU by hand to login, median', value: quantile(bare, 0.5) / 1000, unit: 's', goal: null },
        { what: 'ratio, median of turns', value: quantile(ratios, 0.5), unit: 'x', goal: 1.1 },
      ],
    )
  } finally {
    await server.stop()
    await clear(dataDir)
    if (recipe) await rm(recipe.dir, { recursive: true, force: true })
  }
}
