import { Link, useParams } from 'react-router'
import { paths } from '../paths.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'

/** What the next versions bring, by its place below a project. */
const resources = {
  vmpools: {
    title: 'VM Pools',
    createTitle: 'Create VM Pool',
    heading: 'VM pools are still to come',
    text: 'A VM pool is a group of equal VMs that will grow and shrink with its load. This version does not have VM pools yet.',
  },
  vmsets: {
    title: 'VM Sets',
    createTitle: 'Create VM Set',
    heading: 'VM sets are still to come',
    text: 'A VM set is a fixed number of equal VMs that will be kept at that number. This version does not have VM sets yet.',
  },
} as const

export type Resource = keyof typeof resources

/** Stands at the address of something this version does not have, and says so. */
export function SignpostPage({ resource, creating }: { resource: Resource; creating: boolean }) {
  const { projectId = '' } = useParams()
  const { title, createTitle, heading, text } = resources[resource]
  return (
    <>
      <PageHeader title={creating ? createTitle : title} />
      <EmptyState
        title={heading}
        action={
          <Button variant="primary" render={<Link to={paths.vms(projectId)} />}>
            View VMs
          </Button>
        }
      >
        {text}
      </EmptyState>
    </>
  )
}
