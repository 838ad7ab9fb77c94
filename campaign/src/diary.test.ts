import { expect, it } from 'vitest'
import type { Client, Request } from './client.ts'
import { makeDiary } from './diary.ts'
import { makeWorld, newKnown } from './world.ts'

const id = (n: number) => `01a22b18-a598-7000-93af-00000000000${n}`
const [project, disk, vm, other] = [1, 2, 3, 4].map(id)

it('tells of a violation what was called of its objects, their VM and their project, and how it was answered', async () => {
  const world = makeWorld()
  const known = (handle: string, kind: 'project' | 'disk', of: string | undefined, within: string | null) =>
    world.objects.set(
      handle,
      newKnown({ handle, kind, user: 0, name: handle, id: of ?? '', project: within }),
    )
  known('s1', 'project', project, null)
  known('s2', 'disk', disk, 's1')
  const diary = makeDiary(world)
  const answers = [200, 200, 409, 200, 204]
  const client: Client = {
    async send() {
      const status = answers.shift()
      return status === undefined ? null : { status, text: '', headers: {}, took: 1 }
    },
    cookie: '',
    from: '',
    close: () => {},
  }
  diary.follow(0, client, () => 7)
  const within = `/api/projects/${project}`
  const calls: Request[] = [
    { method: 'GET', path: `${within}/disks/${disk}` },
    { method: 'POST', path: `${within}/disks/${disk}/detach` },
    { method: 'POST', path: `${within}/disks/${other}/attach`, body: `{"vm_id":"${vm}"}` },
    { method: 'POST', path: `${within}/disks/${other}/detach` },
    { method: 'DELETE', path: `${within}?for_good=true` },
    { method: 'POST', path: `${within}/disks`, body: '{"name":"s9"}' },
    { method: 'POST', path: `/api/project-bin/${project}/restore` },
  ]
  for (const call of calls) await client.send(call)
  const lines = diary.about(`disk s2 of user 0 has vm_id ${vm} in place of null`)
  expect(lines.map((line) => line.replace(/^\S+ step 7 user 0: (.*?)( after 1 ms)?$/, '$1'))).toEqual([
    `POST ${within}/disks/${disk}/detach: 200`,
    `POST ${within}/disks/${other}/attach {"vm_id":"${vm}"}: 409`,
    `DELETE ${within}?for_good=true: 204`,
    `POST /api/project-bin/${project}/restore: no answer`,
  ])
})
