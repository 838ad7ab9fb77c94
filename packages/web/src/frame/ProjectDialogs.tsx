import { lazy, Suspense } from 'react'
import { projectDialogs } from '../features/project/project-dialogs.ts'
import { paths } from '../paths.ts'
import { useDialog } from '../shell/use-dialog.ts'

// The dialogs come when they are first opened.
const ManageProjectsDialog = lazy(async () => ({
  default: (await import('../features/project/ManageProjectsDialog.tsx')).ManageProjectsDialog,
}))
const NewProjectDialog = lazy(async () => ({
  default: (await import('../features/project/NewProjectDialog.tsx')).NewProjectDialog,
}))

/** What every page can open from its frame: managing the projects, and creating one. Once in the console's frame. */
export function ProjectDialogs() {
  const managing = useDialog(projectDialogs.manage)
  const creating = useDialog(projectDialogs.create)
  return (
    <Suspense fallback={null}>
      {managing.open && <ManageProjectsDialog onClose={() => managing.close()} />}
      {creating.open && (
        <NewProjectDialog
          onClose={() => creating.close()}
          onCreated={() => creating.close({ to: paths.home })}
        />
      )}
    </Suspense>
  )
}
