import { PageHeader } from '../../ui/PageHeader.tsx'
import { ActivityList } from './ActivityList.tsx'
import { useActivity } from './use-activity.ts'

/** What happened to the user's account: sign-ins, and changes to SSH keys and projects. */
export function Component() {
  const activity = useActivity('account')
  return (
    <>
      <PageHeader
        title="Your activity"
        description="What happened to your account, your SSH keys and your projects."
      />
      <ActivityList
        activity={activity}
        none="Sign-ins and changes to your SSH keys and projects appear here."
      />
    </>
  )
}
